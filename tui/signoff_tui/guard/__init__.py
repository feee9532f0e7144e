"""The decision guard: it says whether a pressed key may decide, and about what.

No widget code lives here. The screen tells the guard what it shows and which keys were pressed; the
guard answers with what the screen must do. Times are seconds of one monotonic clock, the one that
stamps key events.

**Making one**::

    guard = DecisionGuard(GuardSettings(), keys, facts, clock)

`keys` is a `KeyMeanings`: which keys navigate, which are bound to anything. `facts` is called with a
request id at every press and answers with the `TargetFacts` of that request as the screen knows them at
that moment, or `None` if there is no such request any more. A request is named by a `Ref`: id,
revision and digest.

**Telling it what is shown**

=============================== ==================================================================
`show(target, cause)`           the screen now names this `Target` (or `None`); a call with an
                                equal target does nothing
`changed()`                     contents, risk or state of the focused request changed
`resized(too_small=...)`        everything is laid out anew; decision keys are off while too small
`restart()`                     a modal closed, the theme changed: wait for a paint, arm anew
`focus_in(t)`                   the terminal got the focus
`set_connected(bool)`           the queue was lost or found; answers with what was taken back
`set_read_only(bool)`           the other switch; both are read as `connected`, `read_only`
`pending`                       a `Frame` that waits for its paint, or `None`
`painted(frame, t)`             the refresh that shows this frame has been written
=============================== ==================================================================

After any of these calls the screen does one thing: if `guard.pending` is not `None` it passes that
frame to `call_after_refresh(guard.painted, frame, ...)`. What has not been painted is not armed.

**Pressing**

`press(key, t)` takes the character of a printable key or the name of any other (`"enter"`), and the
time stamped on the event. It must see *every* key, also those that go to a text box. `paste(t)`
takes a paste event. Both return a `Reaction`: one verdict and what was undone on the way.

=================== ==============================================================================
`NotDecisive()`     an ordinary key: handle it
`EditorText()`      belongs to the open text box and to nothing else
`Ignored(reason,    swallow the key, say `text` on the bar
text)`
`Decide(permit)`    call `guard.hold(permit, payload)`, then advance
`OpenEditor(offer)` show the feedback editor (`offer.act` is `REJECT` or `STOP`) for `offer.refs`;
                    the guard is in editor scope already, Enter gives `Decide`
`OpenSheet(offer)`  show a sheet (`offer.act` is `APPROVE_GROUP`, `REMEMBER` or `STOP_ALL`),
                    then call `sheet_opened`; the guard is in sheet scope already
`NeedsUnseenBar`    show the bar "not everything was shown"; it offers `!`
`NeedsGroupBar`     show what is left out and why: no member is ready
`Answered(key)`     a question opened with `question_opened` got this answer; or Enter takes over
                    the text of a box opened with `edit_opened`, which stays open
=================== ==============================================================================

Effects, in order: `TakenBack(held)`, `SheetClosed()`, `BarClosed()`, `KeysLocked(until, text,
keys)`; with the last one the screen undoes what `keys` changed of the view (filter, tag, later).

**Sheets, editors, bars**

`sheet_opened(confirm="y" or "!", extra=keys)` names the one key that confirms. For `REMEMBER` it takes `releases`,
the keys that go through with it, each with further requests that the sheet lists for it: with some, the key gives
a `Decide` whose act is `RELEASE`, about the request itself and those of the listed ones that still
wait. `question_opened(keys)` asks something of the screen's own, such as whether to quit.
`sheet_changed()`, `sheet_closed()`. `editor_opened()` is for
text boxes that decide nothing (filter, palette), `edit_opened()` for one whose Enter is an `Answered`,
`suggestion_opened(ref)` for one whose Enter rejects with its text; `editor_closed()` for every text box;
`editor_softened()` when a key turns a stop into a reject. `bar_closed()` when Esc closes the bar that
`NeedsUnseenBar` opened. `Decide` and `Answered` end the sheet or editor they came from.

**Holding and sending**

`hold(permit, payload)` starts the hold and returns a `Held`. A permit can be held once, before the
next key. `guard.holds` is a `Holds`: `due(now)` hands out what is to be sent now, `next_due()` says
when to look again, `take_back_last()`, `take_back_all()`, `release_all()` (quit and send),
`row_text(request_id, now)`. **Nothing but what `due` and `release_all` return may be
sent, and only to `held.refs`:** that is what makes it impossible to decide past the guard.

**Saying how it stands**

`status(now)` gives one word for how the target stands, and when that changes next;
`set_armed(now)` says if the keys about several requests count, `offer_armed(now)` if `!` does.
`guard.eligible(members)` says which members of a group an approval would cover and why the others
are left out; `Target.one`, `.heading` and `.tagged` take its answer. `guard.offers_unseen` says
whether the bar with `!` is open, `guard.typed_text` what was typed while the keys are locked.

**Keys that revoke or trust**

What the rules screen changes at once is no decision about a request. It tells a `DeliberateKeys` of its own every
key and what was painted; `take(key, what, cause)` takes the last key for an act, or answers with an `Ignored`.

**Stopping an agent**

The list of agents has a guard of its own, with a `Target.agent`, that shares the holds of the inbox: `x` there
gives `OpenSheet` with all that the agent waits for.

**Lines instead of keys**

Who types lines with the numbers of requests asks a `LineGuard`. It shares `Guard` with the guard of the keys: one
`Judge`, one `eligible`, one `Holds`. It is told with `printed` that contents were printed, and answers to
`judge(decision, refs)` with the verdicts above, but never opens anything.

**What the screen owes the guard**

- `facts` tells the truth of this moment: a request that was sent, ended or replaced is `closed`.
- `show` names what the next refresh will draw, and is called in the same turn as that refresh is
  asked for. After a decision that is one call, with the next target and `Cause.ADVANCED`.
- While anything else takes the keys (filter, palette, help), `editor_opened` was called.
- `went_on` is called when the program goes on after it was stopped, before any key that it read then.
- `holds.due` is called at `next_due`, or at least four times a second while something is held.
"""

from __future__ import annotations

from signoff_tui.guard.arming import Cause, Frame
from signoff_tui.guard.deliberate_keys import DeliberateKeys
from signoff_tui.guard.guard import DecisionGuard, Guard, LineGuard, Status
from signoff_tui.guard.holds import Act, Held, Holds, Permit, PermitError
from signoff_tui.guard.results import (
    Answered,
    BarClosed,
    Decide,
    DecisionOffer,
    EditorText,
    Effect,
    Ignored,
    KeysLocked,
    NeedsGroupBar,
    NeedsUnseenBar,
    NotDecisive,
    OpenEditor,
    OpenSheet,
    Reaction,
    Reason,
    SheetClosed,
    TakenBack,
    Verdict,
)
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.targets import (
    Eligibility,
    LeftOut,
    Omission,
    Ref,
    Risk,
    Target,
    TargetFacts,
    TargetKind,
    eligible,
)
from signoff_tui.guard.typing import DECISION_KEYS, KeyMeanings

__all__ = [
    "DECISION_KEYS",
    "Act",
    "Answered",
    "BarClosed",
    "Cause",
    "Decide",
    "DecisionGuard",
    "DecisionOffer",
    "DeliberateKeys",
    "EditorText",
    "Effect",
    "Eligibility",
    "Frame",
    "Guard",
    "GuardSettings",
    "Held",
    "Holds",
    "Ignored",
    "KeyMeanings",
    "KeysLocked",
    "LeftOut",
    "LineGuard",
    "NeedsGroupBar",
    "NeedsUnseenBar",
    "NotDecisive",
    "Omission",
    "OpenEditor",
    "OpenSheet",
    "Permit",
    "PermitError",
    "Reaction",
    "Reason",
    "Ref",
    "Risk",
    "SheetClosed",
    "Status",
    "TakenBack",
    "Target",
    "TargetFacts",
    "TargetKind",
    "Verdict",
    "eligible",
]
