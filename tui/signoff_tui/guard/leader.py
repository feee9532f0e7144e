"""The key that has to come before a key that decides, for who cannot have single characters decide.

Somebody who dictates, or whose hand trembles, hits single keys by accident. With a leader no single key decides:
the leader and the key after it are one act. Nothing but the next key ends the waiting for it, no time does; so the
act counts from the leader on: what changed on the screen after it was pressed was not what it was pressed for.
"""

from __future__ import annotations

__all__ = ["Leading"]


class Leading:
    """Sees every key outside text boxes.

    Args:
        leader: The key, or empty if there is none and single keys decide.
    """

    def __init__(self, leader: str) -> None:
        self._leader = leader
        self._at: float | None = None

    def press(self, key: str, t: float) -> float | None:
        """Take note of a key.

        Args:
            key: As the guard takes it.
            t: When it was pressed.

        Returns:
            When the leader was pressed right before this key; None if it was not, or if this is the leader.
        """
        before, self._at = self._at, t if self.is_leader(key) else None
        return None if self.is_leader(key) else before

    def is_leader(self, key: str) -> bool:
        """Whether a key is the leader."""
        return bool(self._leader) and key == self._leader

    def forget(self) -> None:
        """Something came between: what follows is not led any more."""
        self._at = None

    def lacks(self, led_since: float | None) -> bool:
        """Whether a key that decides came without its leader.

        Args:
            led_since: What `press` said of it.
        """
        return bool(self._leader) and led_since is None

    @property
    def waits(self) -> str:
        """What is said when the leader was pressed."""
        return f"{self._leader} is pressed: now the key that decides"

    def asks_for(self, key: str) -> str:
        """What is said of a key that came without its leader."""
        return f"{key} alone does nothing: press {self._leader}, then {key}"
