"""The steps of a call, fixed at one moment: what it would write, edit and run."""
