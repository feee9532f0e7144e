"""The terminal: its input and its output."""
