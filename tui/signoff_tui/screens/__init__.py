"""One folder per screen."""
