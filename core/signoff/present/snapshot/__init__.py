"""The steps of a call, fixed at one moment: files to write or edit, and commands to run."""
