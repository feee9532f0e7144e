"""Settings of an agent in one YAML file: what its tools may do, and what must be approved."""
