"""The diff engine: lines, words and hunks."""
