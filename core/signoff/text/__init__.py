"""What is worded and read once for the command line, the filter, the settings and the screen."""
