"""Documents: the rows that a reviewer reads of a diff, a file, a command or the arguments of a call."""
