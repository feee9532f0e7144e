"""What a reviewer is told beside what an agent asks for, whether on the screen or line by line.

It is worked out here, on the reviewer's side, and by the reviewer's own files: the sender's word is not asked.
"""
