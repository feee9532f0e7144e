"""Files of settings in YAML: reading them, and saying where something is wrong.

Which settings there are, others know: `signoff.config` for agents, the screen for itself.
"""
