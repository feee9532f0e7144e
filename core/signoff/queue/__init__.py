"""The queue between agents and reviewers: one protocol, engines behind it.

`open_agent_queue` is for those who ask, `open_review_queue` for those who decide.
"""
