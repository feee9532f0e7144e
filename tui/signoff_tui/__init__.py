"""The reviewer's screen: people read the requests of agents there and decide them."""
