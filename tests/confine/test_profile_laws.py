"""Profiles are a lattice: what two of them both allow is a profile, and the greatest one below both."""

from __future__ import annotations

import pytest
from hypothesis import example, find, given
from hypothesis import strategies as st
from profiles import PATHS, accesses, maps, profiles

from signoff.confine.profile import EVERYWHERE, NOWHERE, OSProfile, PathAccess, PathMap, is_below

NOTHING = OSProfile()
GRADES = (PathAccess.READ, PathAccess.WRITE)
EVERYTHING = OSProfile(EVERYWHERE, EVERYWHERE, network=True, unix_sockets=True, environment=None)


def function_of(a: PathMap) -> list[PathAccess]:
    return [a.at(path) for path in PATHS]


# -- A map is a function.


def nearest(places: dict[str, PathAccess], path: str) -> PathAccess:
    """What the nearest of some places at or above a path says, told by its components."""
    names = path.strip("/").split("/") if path != "/" else []
    for length in range(len(names), -1, -1):
        above = "/" + "/".join(names[:length])
        if above in places:
            return places[above]
    return PathAccess.NONE


@given(st.dictionaries(st.sampled_from(PATHS), accesses, max_size=8))
def test_the_nearest_place_at_or_above_a_path_decides(places: dict[str, PathAccess]) -> None:
    made = PathMap(places)
    for path in PATHS:
        assert made.at(path) is nearest(places, path)
        assert made.at(f"{path.rstrip('/')}/below/it") is nearest(places, path)


@given(st.dictionaries(st.sampled_from(PATHS), accesses, max_size=8), st.randoms(use_true_random=False))
def test_the_order_in_which_places_are_given_does_not_matter(
    places: dict[str, PathAccess], random: object
) -> None:
    items = list(places.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert PathMap(dict(items)) == PathMap(places)
    assert list(PathMap(dict(items))) == list(PathMap(places))


@given(maps, maps)
@example(PathMap({"/a": PathAccess.READ, "/a/b": PathAccess.READ}), PathMap({"/a": PathAccess.READ}))
@example(PathMap({"/a": PathAccess.NONE}), NOWHERE)
def test_equal_functions_are_equal_maps(a: PathMap, b: PathMap) -> None:
    same = function_of(a) == function_of(b)
    assert (a == b) is same
    assert not same or (hash(a) == hash(b) and list(a) == list(b))


@given(maps)
def test_a_map_has_no_place_that_changes_nothing(a: PathMap) -> None:
    for path, _ in a:
        assert PathMap({place: access for place, access in a if place != path}) != a


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a",
        "./a",
        "a/b",
        "//",
        "//a",
        "/a/",
        "/a//b",
        "/.",
        "/a/.",
        "/a/./b",
        "/..",
        "/a/../b",
        "/a\n",
        "/a\0b",
    ],
)
def test_a_place_is_an_absolute_path_in_its_shortest_form(path: str) -> None:
    with pytest.raises(ValueError, match="resolve it first"):
        PathMap({path: PathAccess.READ})


@pytest.mark.parametrize("path", ["/-", "/--", "/--bind", "/a b", "/a=b", "/…", "/...", "/.a", "/a\t", "/\udcff"])
def test_any_other_name_may_be_a_place(path: str) -> None:
    assert PathMap({path: PathAccess.READ}).at(f"{path}/x") is PathAccess.READ


@pytest.mark.parametrize(
    ("path", "place", "below"),
    [
        ("/a", "/a", True),
        ("/a/b", "/a", True),
        ("/ab", "/a", False),
        ("/a", "/a/b", False),
        ("/a", "/", True),
        ("/", "/a", False),
    ],
)
def test_a_path_is_below_a_place_if_its_first_names_are_those_of_the_place(
    path: str, place: str, below: bool
) -> None:
    assert is_below(path, place) is below


# -- Maps are a lattice, point by point.


@given(maps, maps)
def test_what_both_allow_and_what_one_allows_are_taken_at_each_path(a: PathMap, b: PathMap) -> None:
    meet, join = a.meet(b), a.join(b)
    for path in PATHS:
        assert meet.at(path) is min(a.at(path), b.at(path))
        assert join.at(path) is max(a.at(path), b.at(path))


@given(maps, maps)
def test_never_more_means_never_more_at_any_path(a: PathMap, b: PathMap) -> None:
    assert (a <= b) is all(a.at(path) <= b.at(path) for path in PATHS)


@given(maps, maps, maps)
def test_the_laws_of_a_lattice_hold_for_maps(a: PathMap, b: PathMap, c: PathMap) -> None:
    assert a.meet(a) == a == a.join(a)
    assert a.meet(b) == b.meet(a)
    assert a.join(b) == b.join(a)
    assert a.meet(b).meet(c) == a.meet(b.meet(c))
    assert a.join(b).join(c) == a.join(b.join(c))
    assert a.meet(a.join(b)) == a == a.join(a.meet(b))
    assert a.meet(b.join(c)) == a.meet(b).join(a.meet(c))
    assert NOWHERE <= a <= EVERYWHERE
    assert a.meet(EVERYWHERE) == a == a.join(NOWHERE)


@given(maps, st.sampled_from(PATHS), accesses)
def test_a_limit_holds_at_and_below_its_path_and_nowhere_else(a: PathMap, path: str, most: PathAccess) -> None:
    limited = a.limited(path, most)
    for each in PATHS:
        inside = each == path or path == "/" or each.startswith(f"{path}/")
        assert limited.at(each) is (min(a.at(each), most) if inside else a.at(each))


# -- So are profiles.


def everything_allowed(profile: OSProfile) -> set[object]:
    """Each thing that a profile allows, by itself: the order of profiles is that of these sets."""
    names = {"PATH", "HOME", "LANG", "any other"} if profile.environment is None else profile.environment
    return {
        *((path, grade) for path in PATHS for grade in GRADES if grade <= profile.paths.at(path)),
        *(("runtime", path, grade) for path in PATHS for grade in GRADES if grade <= profile.runtime.at(path)),
        *(["network"] if profile.network else []),
        *(["sockets"] if profile.unix_sockets else []),
        *(("environment", name) for name in names),
    }


@given(profiles, profiles)
def test_two_profiles_together_allow_exactly_what_both_allow(a: OSProfile, b: OSProfile) -> None:
    assert everything_allowed(a.intersect(b)) == everything_allowed(a) & everything_allowed(b)


@given(profiles, profiles)
def test_a_profile_is_below_another_if_it_allows_nothing_more(a: OSProfile, b: OSProfile) -> None:
    assert (a <= b) is (everything_allowed(a) <= everything_allowed(b))


@given(profiles, profiles, profiles)
def test_the_laws_of_a_lattice_hold_for_profiles(a: OSProfile, b: OSProfile, c: OSProfile) -> None:
    both = a.intersect(b)
    assert a.intersect(a) == a
    assert both == b.intersect(a)
    assert both.intersect(c) == a.intersect(b.intersect(c))
    assert both <= a
    assert both <= b
    assert c.intersect(both) <= both  # what is below each of them is below both
    assert (c <= a and c <= b) is (c <= both)
    assert NOTHING <= a <= EVERYTHING
    assert a.intersect(EVERYTHING) == a
    assert a.intersect(NOTHING) == NOTHING


@given(profiles, profiles)
def test_two_profiles_that_are_each_below_the_other_are_one(a: OSProfile, b: OSProfile) -> None:
    assert (a <= b and b <= a) is (a == b)


@given(profiles, profiles)
def test_a_digest_tells_profiles_apart(a: OSProfile, b: OSProfile) -> None:
    assert (a.digest() == b.digest()) is (a == b)


@given(profiles)
def test_what_a_process_finds_is_what_it_may_touch_and_the_runtime(a: OSProfile) -> None:
    for path in PATHS:
        assert a.visible().at(path) is max(a.paths.at(path), a.runtime.at(path))


@given(profiles)
def test_a_new_profile_and_no_other_allows_nothing(a: OSProfile) -> None:
    assert everything_allowed(NOTHING) == set()
    assert (everything_allowed(a) == set()) is (a == NOTHING)


# -- The generators reach what these laws are about.


def test_the_random_maps_reach_what_is_easily_got_wrong() -> None:
    find(maps, lambda a: a.at("/a") > a.at("/ab") > PathAccess.NONE)  # a name that begins another
    find(maps, lambda a: a.at("/") < a.at("/a") > a.at("/a/b"))  # wider, and narrower again
    find(maps, lambda a: a.at("/a") is PathAccess.NONE and a.at("/a/b") is PathAccess.WRITE)
    find(st.tuples(profiles, profiles), lambda two: two[0] <= two[1] != two[0])
    find(st.tuples(maps, maps), lambda two: not (two[0] <= two[1] or two[1] <= two[0]))
    find(st.tuples(profiles, profiles), lambda two: two[0].environment is None is not two[1].environment)
