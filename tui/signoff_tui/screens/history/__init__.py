"""The history screen: decisions, who or what made them, and the share of the content that had been shown."""
