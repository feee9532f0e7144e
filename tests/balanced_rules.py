"""The "balanced security" of the document that the rules on tools of servers come from."""

from __future__ import annotations

__all__ = ["BALANCED"]

BALANCED = """\
tools:
  - server_name: "prod-tools"
    allowlist: ["read_.*", "list_.*", "get_.*"]
    denylist: [".*delete.*", ".*format.*", ".*sudo.*"]
    requires_approval:
      always: false
      conditional:
        - ".*write.*"
        - ".*create.*"
        - ".*modify.*"
    redaction:
      arguments: ["password", "secret", "token"]

auto_approve_in_daemon: false
"""
