"""What a reviewer is shown: snapshots, diffs, and hostile text made visible."""
