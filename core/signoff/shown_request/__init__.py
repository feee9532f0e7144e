"""A request in words that are safe to show, the same on the command line and on the reviewer's page."""
