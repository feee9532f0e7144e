"""Secrets masked in everything that is shown or written down, never in what runs."""
