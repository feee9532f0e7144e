"""The command line: `signoff <verb>`; `signoff` alone opens the screen.

`main` is the entry point and loads nothing heavy. Each verb is a module; what a verb prints goes through
`output`, and how it ends is one of the codes in `exit_codes`.
"""
