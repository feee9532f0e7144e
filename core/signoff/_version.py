"""The version of signoff, in one place."""

__version__ = "0.1.0"
