"""Tests with the real programs of others, which `make clients` installs; the other targets leave them out."""

from __future__ import annotations

import os

FOLDER = "SIGNOFF_CLIENTS"
"""The variable that names the folder with the programs."""

collect_ignore_glob = [] if FOLDER in os.environ else ["test_*.py"]
