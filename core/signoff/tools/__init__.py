"""Tools that declare what they would do before they do it."""
