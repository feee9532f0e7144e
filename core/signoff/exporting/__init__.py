"""The history as files: which records, in which shape, readable by their owner only."""
