"""The keys of decisions: the secret key of a reviewer, and the public keys that agents trust.

Both are files outside every queue, so that nobody can sign by writing to a queue. An agent reads the public
ones only. Nothing here is loaded before a decision is made or verified.
"""
