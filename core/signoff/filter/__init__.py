"""The filter language: one for the inbox, the history and remembered approvals.

`parse` reads a filter, a `Query` keeps subjects, and `of_request`, `of_record` and `of_grant` make them.
`complete` offers what could be typed next, `search_history` filters the history of a queue.
"""

from __future__ import annotations

from signoff.filter.completion import (
    SAVED_FILTERS,
    Candidate,
    Completion,
    SavedFilter,
    complete,
    exactly,
    existing_values,
    field_at,
    last_hour_of,
)
from signoff.filter.fields import FIELDS, Field, Filtered, Form, Viewpoint, fields_of
from signoff.filter.grammar import FilterError, quote, written
from signoff.filter.history_query import Found, narrowed, search_history
from signoff.filter.query import LONGEST_FILTER, Query, parse
from signoff.filter.subjects import (
    CallFacts,
    ScreenFacts,
    Subject,
    of_grant,
    of_record,
    of_request,
)

__all__ = [
    "FIELDS",
    "LONGEST_FILTER",
    "SAVED_FILTERS",
    "CallFacts",
    "Candidate",
    "Completion",
    "Field",
    "FilterError",
    "Filtered",
    "Form",
    "Found",
    "Query",
    "SavedFilter",
    "ScreenFacts",
    "Subject",
    "Viewpoint",
    "complete",
    "exactly",
    "existing_values",
    "field_at",
    "fields_of",
    "last_hour_of",
    "narrowed",
    "of_grant",
    "of_record",
    "of_request",
    "parse",
    "quote",
    "search_history",
    "written",
]
