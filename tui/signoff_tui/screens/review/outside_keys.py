"""Keys that show a request outside of the screen: in the person's pager, or in their viewer for diffs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from signoff.present.document.model import Document
from signoff_tui.external import in_pager, in_viewer
from signoff_tui.screens.review.copying import as_shown
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.naming import name_of
from signoff_tui.state.documents import Content
from signoff_tui.state.inbox import Entry

__all__ = ["OutsideKeys"]

_ALL = 10**9
"""Unchanged lines around changes that leave no line out."""


class OutsideKeys:
    """One method per action that shows something outside, named ``do_`` and the action's name."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def do_outside(self) -> None:
        """Show the diff in the person's viewer if they named one, anything else in their pager."""
        found = self._focused()
        if found is None:
            return
        entry, content = found
        document = self._compared(content)
        viewer = self._face.office.viewer
        if not viewer or document is None:
            self._in_pager(entry, content)
        else:
            before = [line.text for line in document.safe_lines("old")]
            after = [line.text for line in document.safe_lines("new")]
            self._hand_over(lambda: in_viewer(viewer, before, after, document.path or ""))

    def do_pager(self) -> None:
        """Show all of the request in the person's pager."""
        found = self._focused()
        if found is not None:
            self._in_pager(*found)

    # -- parts -------------------------------------------------------------------------------------------

    def _in_pager(self, entry: Entry, content: Content) -> None:
        name = name_of(self._face.desk, self._face.desk.ref(entry))
        head = f"{name}, revision {entry.request.revision}: all of it, secrets as marks"
        text = "\n".join([head, "", *_whole(content.documents), ""])
        self._hand_over(lambda: in_pager(text))

    def _focused(self) -> tuple[Entry, Content] | None:
        """The request that is looked at, with its documents and without its secrets; says so if there is none."""
        face, desk = self._face, self._face.desk
        entry = desk.inbox.focused_request()
        if face.views.page is not None and face.views.page.sections:
            section = face.views.page.sections[face.views.page.section_at(face.document.viewport.document_at_top)]
            entry = desk.inbox.entry(section.request_id) if section.request_id in desk.inbox else None
        content = None if entry is None else desk.content(entry)
        if entry is None or content is None:
            face.say("open a request to read it outside of the screen", token="muted")
            return None
        if len(desk.guard.holds):
            key = desk.keys.shown("outside")
            face.say(f"{key} waits: take back what is held, or let it be sent")
            return None
        return entry, content

    def _compared(self, content: Content) -> Document | None:
        """The diff that is looked at: of several the one at the top."""
        face = self._face
        at = (
            face.document.viewport.document_at_top
            if face.views.page is None and face.document.owner == content.key
            else 0
        )
        found = content.documents[at] if at < len(content.documents) else content.documents[0]
        return found if found.kind.has_file_lines else None

    def _hand_over(self, work: Callable[[], None]) -> None:
        if self._face.outside.hand_over(work):
            self._face.say("what was shown outside does not count as shown here", token="muted")


def _whole(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        yield from as_shown(document.with_context(_ALL))
