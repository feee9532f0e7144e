"""The screen on which requests are read and decided: inbox, request and group in one layout."""
