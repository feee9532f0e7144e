"""Hard walls of the operating system around commands."""
