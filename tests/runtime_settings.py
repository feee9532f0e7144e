"""Settings that the document of an agent runtime shows, which the rules on tools of servers come from."""

from __future__ import annotations

__all__ = ["BALANCED", "DAEMON", "DEVELOPMENT", "MAXIMUM"]

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
MAXIMUM = """\
tools:
  - server_name: "critical-tools"
    allowlist: ["read_status", "get_info"]     # Very limited operations
    denylist: [".*"]                           # Block everything else
    requires_approval:
      always: true                             # Every tool needs approval
    redaction:
      arguments: ["password", "secret", "key"]
      outputs: true                            # Hide all outputs

approval_mode: "policy"
approval_policies:
  write_ops: true
  dangerous_ops: true
auto_approve_in_daemon: false                  # Never auto-approve
"""
DEVELOPMENT = """\
tools:
  - server_name: "dev-tools"
    denylist: [".*format.*", ".*sudo.*"]       # Block only extremely dangerous ops
    requires_approval:
      conditional:
        - ".*delete.*"                         # Only deletions need approval

auto_approve_in_daemon: true                   # Auto-approve in daemon mode
"""
DAEMON = """\
tools:
  - server_name: "automation-tools"
    allowlist: [".*"]                          # Allow all tools
    denylist: ["format_disk", "sudo_.*"]      # Except destructive ones
    requires_approval:
      conditional:
        - ".*delete.*"                         # Would normally require approval

auto_approve_in_daemon: true                   # But auto-approve in daemon mode
"""
