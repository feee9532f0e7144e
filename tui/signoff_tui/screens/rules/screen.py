"""What the rule files say, tried out, edited and trusted. Nothing here approves a request or runs a call."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal

from signoff.filter import quote
from signoff_tui.context import Office
from signoff_tui.external import HandoverError, edit_file, in_a_free_terminal
from signoff_tui.guard import Cause, DeliberateKeys, Ignored, Reason
from signoff_tui.screens.rules.changing import Change, change_lines
from signoff_tui.screens.rules.face import Bar, Said, foot_lines
from signoff_tui.screens.rules.hits import Hits
from signoff_tui.screens.rules.lines import detail_lines
from signoff_tui.screens.rules.listed_rules import ListedRules
from signoff_tui.screens.rules.suggesting import Suggested, suggested_lines
from signoff_tui.screens.rules.trying import Tried, tried_lines
from signoff_tui.screens.rules.work import Compared, Drawn, Failed, Judged, Trusted, Untrusted
from signoff_tui.state.session import ReviewSession
from signoff_tui.terminal.sequences import Copy
from signoff_tui.text.lines import Line, chunk, line
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.text_box import TextBox

__all__ = ["RulesScreen"]

_NO_FILE = "there is no rule file here: trust one first"

_UNREAD = "not trusted: Space shows the rest of it first"

_LIST = "list"
"""Name of what `x` acts on; a change has a name of its own."""


class RulesScreen(ListedRules):
    """Trusted files with their rules, and everything about the focused one, with what can be done about it.

    Args:
        office: What all screens share.
        query: Why a request asked: the rule that says so has the focus first. All rules are listed anyway.
        desk: What waits, and the times of the guard; nothing of it is changed.
    """

    DEFAULT_CSS = """
    RulesScreen #try { height: 1; display: none; }
    RulesScreen.-typing #try { display: block; }
    RulesScreen #prompt { width: 3; }
    RulesScreen #call { width: 1fr; background: $signoff-surface; color: $signoff-text; }
    """

    place = "rules"

    def __init__(self, office: Office, query: str, desk: ReviewSession) -> None:
        super().__init__(office, query, desk)
        self._deliberate = DeliberateKeys(desk.settings, office.keys.guard_keys("rules"))
        self._tried: Tried | None = None
        self._asked = ""
        """The call that was judged last, or is."""
        self._awaits_verdict = False
        """Whether Enter was pressed before the verdict came."""
        self._change: Change | None = None
        self._suggested: Suggested | None = None
        self._said = Said()
        self._busy = False

    def compose(self) -> ComposeResult:
        """Lay out the parts, and below them the box for a call."""
        yield from super().compose()
        with Horizontal(id="try"):
            yield LinesView(id="prompt")
            yield TextBox(id="call")

    def on_key(self, event: events.Key) -> None:
        """Take note of every key before it is judged what it stands for."""
        if self._typing:
            super().on_key(event)
            return
        key = event.character if event.is_printable and event.character else event.key
        self._deliberate.press(key, event.time, time.monotonic())
        self._said = Said()
        super().on_key(event)

    def stood_still(self) -> None:
        """What keys act on counts from the next picture."""
        self._deliberate.forget_all()

    # -- going -------------------------------------------------------------------------------------------

    def do_back(self) -> None:
        """Close what is asked or shown; else one level back."""
        if self._change is not None:
            self._close_change()
        elif self._suggested is not None:
            self._suggested = None
        elif self._tried is not None:
            self._tried = None
        else:
            super().do_back()

    def do_rules(self) -> None:
        """All rules are listed already."""

    def do_hits(self) -> None:
        """The calls that the focused rule asked about, in the history."""
        row = self._focused
        rule = None if row is None else row.rule
        if self._is_reading or rule is None:
            return
        if not rule.told:
            self._say("requests do not name this rule, so they cannot be listed")
        elif not (self._hits.get(row.key, Hits()).total if row is not None else 0):
            self._say("no request in the newest part of the history names this rule")
        else:
            self._office.go("history", f"why:{quote(rule.told[0])}")

    def do_full(self) -> None:
        """Details on the whole screen, and back."""
        if self._focused is None:
            self._say(_NO_FILE)
        super().do_full()

    def do_reload(self) -> None:
        """Read the files again."""
        self._say("read again")
        self._rereading.wanted()

    def step(self, steps: int) -> None:
        """Another row; what was tried is asked of its file."""
        if self._is_reading:
            self.scroller.scroll_relative(y=max(-1, min(1, steps)), animate=False)
            return
        self._tried = None
        super().step(steps)

    @property
    def takes_clicks(self) -> bool:
        """While a change or rules are shown, the file that they are about stays the focused one."""
        return not self._is_reading and not self._typing

    @property
    def _is_reading(self) -> bool:
        """Whether a change or rules are shown that are about the focused file."""
        return self._change is not None or self._suggested is not None

    # -- trying a call -----------------------------------------------------------------------------------

    def do_try_call(self) -> None:
        """Type a call."""
        if self._is_reading:
            return
        if self._focused is None:
            self._say(_NO_FILE)
            return
        self.add_class("-typing")
        box = self.query_one("#call", TextBox)
        box.write(box.value)
        self._judge(box.value)

    def takes_key(self, event: events.Key) -> bool:
        """Keys while a call is typed; False when the key is for the text box."""
        match event.key:
            case "escape":
                self._stop_typing()
                self._tried = None
                self._awaits_verdict = False
            case "enter":
                self._judge_typed()  # what was typed a moment ago was not told yet
                self._stop_typing()
                self._awaits_verdict = True
            case "up" | "pageup":
                self.do_page_up()
            case "down" | "pagedown":
                self.do_page_down()
            case _:
                return False
        self.draw()
        return True

    def takes_paste(self, _: events.Paste) -> bool:
        """Pasted text is text to be judged."""
        return False

    @on(TextBox.Changed)
    def _typed(self, event: TextBox.Changed) -> None:
        event.stop()
        if self._typing:
            self._judge_typed()

    def _judge_typed(self) -> None:
        text = self.query_one("#call", TextBox).value
        if text != self._asked:
            self._judge(text)

    @property
    def _typing(self) -> bool:
        return self.has_class("-typing")

    def _stop_typing(self) -> None:
        self.remove_class("-typing")
        self.set_focus(None)

    def _judge(self, text: str) -> None:
        file = self._rules_of_focused
        if file is not None:
            self._asked = text
            self._work.judge(file, text)

    @on(Judged)
    def _judged(self, event: Judged) -> None:
        if self._typing or self._tried is not None or (self._awaits_verdict and not self._is_reading):
            self._awaits_verdict = False
            self._tried = event.tried
            self.to_top()
            self.draw()

    # -- rules that could be added -----------------------------------------------------------------------

    def do_suggest(self) -> None:
        """Draw rules from what was approved, and show the file with them."""
        file = self._rules_of_focused
        if self._is_reading:
            return
        if file is None:
            self._say(_NO_FILE)
            return
        self._say("reading what was approved ...")
        self._work.suggest(file)

    def do_copy_suggested(self) -> None:
        """Put the new lines into the clipboard, through the terminal."""
        if self._suggested is None:
            self._say("A suggests rules; then c copies them")
            return
        self._office.speak(Copy(self._suggested.text))
        number = len(self._suggested.new)
        self._say(f"copied {number} lines, if the terminal lets programs copy")

    @on(Drawn)
    def _drawn(self, event: Drawn) -> None:
        if event.suggested is None:
            self._say(event.why, "warn")
        elif not self._is_reading and not self._typing and event.suggested.file == self._rules_of_focused:
            self._said = Said()
            self._suggested, self._tried = event.suggested, None
            self.to_top()
        self.draw()

    def rows_changed(self) -> None:
        """Rules that were suggested for a file as it was before are not shown any more."""
        if self._suggested is not None and self._suggested.file not in self._files:
            self._suggested = None
            self._say("the file changed meanwhile: A suggests anew", "warn")

    # -- editing and trusting ----------------------------------------------------------------------------

    def do_edit(self) -> None:
        """Open the file in the person's editor; afterwards show what changed."""
        row = self._focused
        if row is None:
            self._say(_NO_FILE)
            return
        if len(self._desk.guard.holds):
            self._say(
                "a decision is still held: it would wait for the editor. Press e again once it is sent", "warn"
            )
            return
        suggested = self._suggested
        place = (row.file.name, row.line) if suggested is None else (suggested.file.name, suggested.line)
        try:
            in_a_free_terminal(self.app, lambda: edit_file(*place))
        except HandoverError as error:
            self._say(str(error), "danger")
        else:
            self._close_change()
            self._suggested = None
            self._rereading.wanted()
            self._compare()

    def do_review_change(self) -> None:
        """Show what is other than it was trusted."""
        if not self._is_reading:
            self._compare()

    def do_confirm(self) -> None:
        """Trust what was shown, all of it, and nothing else."""
        change = self._change
        if change is None:
            return
        if self._busy:
            self._say("not now: the last key is at work")
        elif (ignored := self._deliberate.take("!", change.key, Cause.SHEET)) is not None:
            unread = ignored.reason is Reason.TOO_EARLY and not self._painted
            self._say_ignored(Ignored(Reason.TOO_EARLY, _UNREAD) if unread else ignored)
        else:
            self._busy = True
            self._work.trust(change)

    def do_untrust(self) -> None:
        """Take a file that is gone off the list of trust."""
        row = self._focused
        if self._is_reading:
            return
        if row is None:
            self._say(_NO_FILE)
        elif row.file.state != "GONE":
            self._say("only a file that is gone: of others, take what they allow out of them, or delete them")
        elif self._busy:
            self._say("not now: the last key is at work")
        elif (ignored := self._deliberate.take("x", _LIST, Cause.MOVED)) is not None:
            self._say_ignored(ignored)
        else:
            self._busy = True
            self._work.untrust(row.file.name)

    def _compare(self) -> None:
        file = self._rules_of_focused
        if file is None:
            self._say(_NO_FILE)
        else:
            self._work.compare(file.name)

    def _close_change(self) -> None:
        if self._change is not None:
            self._deliberate.gone(self._change.key)
        self._change = None

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self._close_change()
        self._change, self._tried, self._suggested = event.change, None, None
        if event.change is None:
            self._say(f"{Path(event.file).name} is as you trusted it", "ok")
        else:
            self._deliberate.gone(event.change.key)
            self.to_top()
        self.draw()

    @on(Trusted)
    def _trusted(self, event: Trusted) -> None:
        self._busy = False
        self._close_change()
        self._say(f"trusted: {Path(event.change.file).name}. Agents that run now must load it again", "ok")
        self._rereading.wanted()
        self.draw()

    @on(Untrusted)
    def _untrusted(self, event: Untrusted) -> None:
        self._busy = False
        if event.ended:
            names = " and ".join(Path(name).name for name in event.ended)
            self._say(f"trusted no more: {names}. If it comes back, it has to be trusted again", "ok")
        else:
            self._say(f"{Path(event.file).name} is there again, so it is still trusted with what you read", "warn")
        self._rereading.wanted()
        self.draw()

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self._busy = False
        self._close_change()
        self._say(event.words, "danger")
        self._rereading.wanted()
        self.draw()

    # -- drawing -----------------------------------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether details, a verdict or a change have the whole body."""
        shown = self._is_reading or self._tried is not None or self._typing
        return super().full or (shown and not self.two_panes)

    def detail_lines(self, width: int) -> Sequence[Line]:
        """The focused one, the verdict of a call, or what would be trusted."""
        row = self._focused
        if self._change is not None:
            return change_lines(self._change, width)
        if self._suggested is not None:
            return suggested_lines(self._suggested, width)
        if self._tried is not None:
            return tried_lines(self._tried, width)
        return [] if row is None else detail_lines(self._known(row), width)

    def foot_lines(self, width: int, rows: int) -> Sequence[Line]:
        """What was said, and the keys."""
        return foot_lines(self._bar, self._said, width, rows=rows)

    def draw(self) -> None:
        """Draw everything as it is now."""
        super().draw()
        if self.is_mounted and self.query("#prompt"):
            self.query_one("#prompt", LinesView).show([line(chunk(" > ", "accent"))])

    @property
    def _bar(self) -> Bar:
        """What the keys can do now."""
        keys, change, row = self._office.keys, self._change, self._focused
        if self._typing:
            return Bar("typing", keys)
        if change is not None:
            armed_at = self._deliberate.armed_at(change.key, Cause.SHEET)
            return Bar("change", keys, live=time.monotonic() >= armed_at)
        if self._suggested is not None:
            return Bar("suggested", keys)
        if self._tried is not None:
            return Bar("verdict", keys)
        if row is None:
            return Bar("empty", keys)
        differs = row.file.state in ("CHANGED", "BROKEN")
        counted = bool(self._hits.get(row.key, Hits()).total)
        gone = row.file.state == "GONE"
        return Bar("list", keys, live=differs, full=self._full, counted=counted, gone=gone)

    @property
    def _painted(self) -> bool:
        """Whether all of the change was on the screen."""
        return self._change is not None and self._deliberate.is_painted(self._change.key)

    def displayed(self) -> None:
        """What was drawn last is on the screen: once all of a change was, it can be trusted."""
        super().displayed()
        if self._rows and not self._is_reading:
            self._deliberate.painted(_LIST, time.monotonic())
        if not self.is_mounted or self._change is None or self._painted or not self.query("#detail"):
            return
        drawn = self.query_one("#detail", LinesView).drawn and self.scroller.size.height > 0
        if drawn and not self.hidden_lines:
            self._deliberate.painted(self._change.key, time.monotonic())
            self.set_timer(Cause.SHEET.wait(self._desk.settings) + 0.02, self.draw)

    def tell(self, words: str) -> None:
        """Say what became of the last key."""
        self._say(words)

    def _say_ignored(self, ignored: Ignored) -> None:
        self._say(ignored.text, "muted" if ignored.reason is Reason.NOTHING else "warn")

    def _say(self, words: str, token: str = "muted") -> None:
        self._said = Said(words, token)
