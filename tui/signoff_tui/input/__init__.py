"""Keys: the table of actions and a person's own keys for them."""
