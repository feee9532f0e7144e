"""The rules screen: the grants for a session, and each rule in words, with the number of its calls.

What judges calls takes long to load (pydantic), so it is loaded by the threads that need it, not with the screen.
"""
