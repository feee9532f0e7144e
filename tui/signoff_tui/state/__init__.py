"""The state of a review: inbox, documents, coverage, amendments. No widgets."""
