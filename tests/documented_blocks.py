"""The YAML blocks of the documents that the format comes from, as they are written there."""

from __future__ import annotations

__all__ = ["BLOCKS"]

BLOCKS = {
    "write_approval": """\
sandbox:
  paths:
    output:
      root: ./output
      mode: rw
      write_approval: true  # Writes require approval
""",
    "read_approval": """\
sandbox:
  paths:
    documents:
      root: ./docs
      mode: ro
      read_approval: true  # Reading for attachments requires approval
""",
    "custom_tools_list": """\
custom_tools:
  - calculate_fibonacci
  - send_notification
""",
    "shell_default_and_rules": """\
shell_default:
  allowed: false
  approval_required: true

shell_rules:
  - pattern: "git status"
    allowed: true
    approval_required: false
  - pattern: "git commit"
    allowed: true
    approval_required: true
""",
    "sandbox_in_one_place": """\
sandbox:
  paths:
    notes:
      root: ./notes
      mode: rw
      suffixes: [.txt, .log]
      write_approval: true   # Writes to this path need approval
      read_approval: false   # Reads don't need approval
    cache:
      root: ./cache
      mode: rw
      write_approval: false  # Cache writes are pre-approved
""",
    "shell_block": """\
shell:
  default:
    allowed: true
    approval: true  # Unknown commands need approval
  rules:
    - pattern: "git status"
      approval: false  # Safe, read-only
    - pattern: "git add"
      approval: true
      description: "Stage files for commit"
    - pattern: "git commit"
      approval: true
      description: "Create a commit"
    - pattern: "rm"
      allowed: false  # Never allow rm
    - pattern: "pytest"
      approval: false
      sandbox_paths: [output]  # Only if paths are in sandbox
""",
    "os_sandbox": """\
sandbox:
  paths:
    data:
      root: ./data
      mode: rw
  require_os_sandbox: true
  # Optional: allow degraded mode instead of failing
  os_sandbox_fallback: refuse_tools  # or "fail_fast" (default)
""",
    "custom_tools_mapping": """\
custom_tools:
  calculate_stats:
    approval: required       # Always prompt
  send_notification:
    approval: none           # Never prompt (trusted)
  format_output: {}          # Use default (check @requires_approval)
""",
}
