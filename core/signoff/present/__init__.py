"""The view of a request: snapshots, diffs, and hostile text made visible.

`reveal` is the only way for text from others to reach any output. The name is that of the function, although a
module of the package is called so too; ``from signoff.present.reveal import ...`` finds the module.
"""

from signoff.present.reveal import Field, Finding, SafeText, findings, quoted, reveal, reveal_line

__all__ = ["Field", "Finding", "SafeText", "findings", "quoted", "reveal", "reveal_line"]
