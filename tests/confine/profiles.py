"""Random maps and profiles over few names, so that places meet.

One lies within another, and the name of one begins that of another.
"""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from signoff.confine.profile import OSProfile, PathAccess, PathMap

__all__ = ["PATHS", "accesses", "maps", "profiles"]

_NAMES = ("a", "ab", "b")
PATHS = ("/", *("/" + "/".join(names) for depth in (1, 2, 3) for names in product(_NAMES, repeat=depth)))
"""All paths of three names, three deep: places are at most two deep, so that every map is constant below these."""

_PLACES = tuple(path for path in PATHS if path.count("/") < 3)

accesses = st.sampled_from(PathAccess)
maps = st.dictionaries(st.sampled_from(_PLACES), accesses, max_size=6).map(PathMap)
environments = st.one_of(st.none(), st.frozensets(st.sampled_from(["PATH", "HOME", "LANG"])))
profiles = st.builds(OSProfile, maps, maps, st.booleans(), st.booleans(), environments)
