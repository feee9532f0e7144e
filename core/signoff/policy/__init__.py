"""Policy: which calls have to be approved, and the risk of each."""
