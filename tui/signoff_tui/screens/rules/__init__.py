"""Why a call was asked about, or not: what is allowed for a session, and each rule in words, with its hits.

What judges calls takes long to load (pydantic), so it is loaded by the threads that need it, not with the screen.
"""
