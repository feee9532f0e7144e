"""The terminal: what comes from it and what may be written to it."""
