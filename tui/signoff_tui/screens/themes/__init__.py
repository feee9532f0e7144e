"""The choice of a theme, with a sample of each."""
