"""Words and formats that the command line, the filter, the settings and the screen share."""
