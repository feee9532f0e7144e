"""What runs without asking: list, origin, uses, revoke, and wider or narrower with a preview."""
