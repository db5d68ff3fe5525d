import pytest

import waygrid as wg
from waygrid.advisor.limits import limits_of, share_words, size_words, time_words


@pytest.mark.parametrize(
    ("text", "size"), [("200KB", 200_000), ("1.5MB", 1_500_000), ("64KiB", 65_536), ("64 kib", 65_536), (300, 300)]
)
def test_sizes(text, size):
    assert limits_of(memory=text).memory == size


@pytest.mark.parametrize(
    ("text", "share"),
    [("3%", 0.03), ("0 %", 0.0), ("0.5%", 0.005), ("0.03", 0.03), (0.03, 0.03), (1, 1.0), (".5%", 0.005)],
)
def test_shares(text, share):
    assert limits_of(suboptimality=text).suboptimality == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "seconds"), [("50us", 5e-5), ("50 µs", 5e-5), ("2ms", 2e-3), ("800ns", 8e-7), ("1.5s", 1.5), (1e-3, 1e-3)]
)
def test_times(text, seconds):
    assert limits_of(response=text).response == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory", ""),
        ("memory", "lots"),
        ("memory", "-3KB"),
        ("memory", 0),
        ("suboptimality", "3 percent"),
        ("suboptimality", "-1%"),
        ("suboptimality", -0.1),
        ("suboptimality", float("nan")),
        ("suboptimality", True),
        ("response", "50"),
        ("response", "50 minutes"),
        ("response", "0us"),
        ("response", -1.0),
        ("response", float("inf")),
    ],
)
def test_bad_limits_are_refused_with_what_is_allowed(name, value):
    with pytest.raises(wg.WaygridError, match=f"{name} is .*allowed are"):
        limits_of(**{name: value})


def test_limits_that_are_not_given_do_not_count():
    limits = limits_of()
    assert (limits.memory, limits.suboptimality, limits.response, limits.updates) == (None, None, None, False)
    assert limits.words() == "none"


def test_words():
    assert [size_words(size) for size in (999, 1000, 9_940, 999_400, 999_600, 3.2e9)] == [
        "999 bytes",
        "1 KB",
        "9.9 KB",
        "999 KB",
        "1 MB",
        "3.2 GB",
    ]
    assert [time_words(seconds) for seconds in (9.96e-6, 9.9e-4, 1e-3, 0.9999, 119, 3600, 86_400)] == [
        "10 us",
        "990 us",
        "1 ms",
        "1 s",
        "119 s",
        "60 min",
        "24 h",
    ]
    assert [share_words(share) for share in (0.0999, 0.00123, 0.999)] == ["10 %", "0.12 %", "100 %"]
