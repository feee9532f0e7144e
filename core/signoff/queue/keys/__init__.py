"""Whose decisions count: the key with which a reviewer signs, and the public keys that agents trust.

Both are files outside every queue, so that whoever can write to a queue cannot sign. An agent reads the public
ones only. Nothing here is loaded before a decision is made or has to be believed.
"""
