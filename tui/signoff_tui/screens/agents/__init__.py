"""Who asks: which agents there are, what waits of each, and what the last hour was like."""
