"""What was decided, by whom or what, and what had been shown."""
