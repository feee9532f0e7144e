"""Two robots that use the simulated screen: one that does not look, and one that does."""

from __future__ import annotations

from collections.abc import Iterator

from guard_sim import World

from signoff_tui.guard import Held, Ignored, Ref

WORDS = (
    # Half of them begin with a key that decides.
    *("y", "yes", "yarn", "yarn test", "yo", "yet", "yaml", "yup", "you", "yum update", "yellow", "yank"),
    *("yarn add left-pad", "yield", "year", "your", "yt-dlp -x", "yay -S foo", "yyp", "y && ls"),
    *("n", "no", "npm test", "npm run build", "node", "nano", "nope", "not yet", "nvim .", "next", "name"),
    *("s", "ssh host", "sudo apt update", "say yes", "so", "sys", "stay", "sky", "sed -n 1p", "source x"),
    *("x", "xargs", "xterm", "xz -d", "x=1", "xy", "exit", "Yes", "No", "Sorry", "SELECT", "Xvfb", "!!", "!ls"),
    # The others.
    *("git status", "git push", "ls", "ls -la", "cd ..", "cat a.py", "make", "make test", "cargo build"),
    *("python -m pytest", "why", "by", "my", "try", "toy", "any", "happy", "copy", "apply", "deploy now"),
    *("hello", "thanks", "looks good", "ok", "q", "quit", ":wq", ":q!", "/foo", "grep -r y .", "go on", "then"),
    *("fix it", "docker ps", "kubectl get pods", "please", "retry", "history", "man yes", "echo n", "rm x"),
    *("data", "adapt it", "that is all", "the guy", "vim notes", "high", "quiet", "12 y", "both of them", "big"),
)
"""What people type into the wrong window."""


class Careless:
    """Presses fast and without looking: taps, held keys, stray words, sheets in a hurry."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.pressed = 0
        self._random = world.random
        world.at(0.5, self._act)

    def _act(self) -> None:
        choice = self._random.random()
        end = self.world.now
        for key, gap in self._keys(choice):
            end += gap
            self.world.key(end, key)
            self.pressed += 1
        self.world.at(end + self._random.uniform(0.05, 1.2), self._act)

    def _keys(self, choice: float) -> Iterator[tuple[str, float]]:
        uniform, pick = self._random.uniform, self._random.choice
        if choice < 0.2:
            yield pick(("j", "down")), 0.0
        elif choice < 0.45:
            yield pick("yyyyyYYsnx!Ns"), 0.0
        elif choice < 0.55:
            key, gap = pick("yyyYn"), uniform(0.04, 0.16)
            yield from ((key, gap) for _ in range(pick((2, 3))))
        elif choice < 0.62:
            yield "y", 0.0
            yield "y", pick((0.2, 0.4, 0.66, 1.0))
            gap = 1 / pick((12, 20, 30))
            yield from (("y", gap) for _ in range(pick((5, 20))))
        elif choice < 0.72:
            gap = uniform(0.06, 0.25)
            yield from ((key, gap) for key in pick(WORDS))
            if self._random.random() < 0.5:
                yield "enter", gap
        elif choice < 0.82:
            yield pick("sS"), 0.0
            yield pick("yy!"), uniform(0.1, 0.9)
        elif choice < 0.9:
            yield pick("nx"), 0.0
            yield "enter", uniform(0.1, 1.0)
            yield "enter", uniform(0.1, 0.8)
        else:
            yield pick(("j", "k", " ", "u", "escape")), 0.0
        if self._random.random() < 0.5:
            yield "escape", uniform(0.1, 0.5)


class Reviewer:
    """Waits for a steady target, reads it, decides, and looks what came of it.

    Args:
        world: Where.
        stray: Share of items at which a word meant for another window is typed.
        reads: Shortest and longest time to read a page, in seconds.
    """

    def __init__(self, world: World, stray: float = 0.0, reads: tuple[float, float] = (0.6, 1.6)) -> None:
        self.world = world
        self.pressed = 0
        self.words: list[tuple[float, float, str]] = []
        self.first_presses: list[tuple[float, str]] = []
        self._random = world.random
        self._stray = stray
        self._reads = reads
        self._look(0.0)

    def _look(self, delay: float) -> None:
        self.world.at(self.world.now + delay, self._begin)

    def _begin(self) -> None:
        picture = self.world.picture(self.world.now)
        if picture.layer:
            self._press("escape")
            self._look(0.3)
        elif picture.focus is None:
            self._look(0.1)
        else:
            self._read(picture.focus, self.world.now + self._random.uniform(*self._reads))

    def _read(self, ref: Ref, until: float) -> None:
        picture = self.world.picture(self.world.now)
        if picture.focus != ref or picture.layer:
            self._look(0.05)
        elif self.world.now < until:
            step = min(0.05, until - self.world.now)
            self.world.at(self.world.now + step, lambda: self._read(ref, until))
        elif picture.unseen:
            self._press(" ")
            self._look(0.1)
        else:
            self._decide()

    def _decide(self) -> None:
        if not self.world.picture(self.world.now).waits:
            self._press("j")
            self._look(0.3)
        elif self._random.random() < self._stray:
            self._type(self._random.choice(WORDS))
        elif self._random.random() < 0.1:
            self._press("j")
            self._look(0.3)
        else:
            ready = self.world.picture(self.world.now).ready
            key = "Y" if len(ready) > 1 else self._random.choice("yyyyyyyyyn")
            self.first_presses.append((self.world.now, key))
            self._press(key)
            if key == "n":
                self.world.at(self.world.now + 0.4, lambda: self._press("l"))
                self.world.at(self.world.now + 0.9, lambda: self._press("enter"))
            self._look(1.1 if key == "n" else 0.25)

    def _type(self, word: str) -> None:
        start = end = self.world.now
        gap = self._random.uniform(0.06, 0.16)
        for key in (*word, *(["enter"] if self._random.random() < 0.5 else [])):
            self.world.key(end, key)
            self.pressed += 1
            end += gap
        self.words.append((start, end, word))
        self.world.at(end + 0.5, lambda: self._press("escape"))
        self._look(end + 1.5 - start)

    def _press(self, key: str) -> None:
        self.world.key(self.world.now, key)
        self.pressed += 1

    @property
    def strays(self) -> list[Held[str]]:
        """Decisions that were sent although they were the letters of a word."""
        return [
            held
            for held in self.world.sent
            for start, end, word in self.words
            if start <= held.permit.pressed_at <= end and word != "y"
        ]

    @property
    def accepted(self) -> tuple[int, int]:
        """How many of the first presses after reading did what they should, and how many there were."""
        ignored = {t for _, t, reaction in self.world.reactions if isinstance(reaction.verdict, Ignored)}
        return sum(t not in ignored for t, _ in self.first_presses), len(self.first_presses)
