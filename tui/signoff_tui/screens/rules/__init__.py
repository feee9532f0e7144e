"""What the rule files say: each rule in words, how often it asked, the verdict of a typed call, edit and trust.

What judges calls takes long to load (pydantic), so it is loaded by the threads that need it, not with the screen.
"""
