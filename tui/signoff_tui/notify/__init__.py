"""Bell, window title, desktop notifications and the warnings on the first line."""
