"""The filter language: one for the inbox, the history and remembered approvals.

`parse` reads a filter, a `Query` keeps subjects, and `of_request`, `of_record` and `of_grant` make them.
`complete` says what could be typed next, `reworded` changes a filter without typing, `search_history` filters the
history of a queue.
"""

from __future__ import annotations

from signoff.filtering.completion import Candidate, Completion, complete, existing_values, field_at
from signoff.filtering.errors import FilterError
from signoff.filtering.fields import FIELDS, Field, Filtered, Form, fields_of
from signoff.filtering.history import Found, narrowed, search_history
from signoff.filtering.parsing import LONGEST_FILTER
from signoff.filtering.query import Query, parse
from signoff.filtering.rewording import asked_of, exactly, only, reworded
from signoff.filtering.saved import SAVED_FILTERS, SavedFilter, last_hour_of
from signoff.filtering.subjects import CallFacts, ScreenFacts, Subject, of_grant, of_record, of_request
from signoff.filtering.syntax import quote, written
from signoff.filtering.values import Viewpoint

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
    "asked_of",
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
    "only",
    "parse",
    "quote",
    "reworded",
    "search_history",
    "written",
]
