"""Shell commands: parsed, never matched as text."""
