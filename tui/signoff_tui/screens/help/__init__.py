"""The keys, made from the action table."""
