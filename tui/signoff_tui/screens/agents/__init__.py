"""The agents screen: the agents that ask, their waiting requests, and their last hour."""
