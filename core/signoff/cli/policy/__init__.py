"""`signoff policy`: what a settings file says of calls, tried out before an agent is let loose on it."""
