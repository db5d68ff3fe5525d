"""The page: maps that were drawn survive a reload, tabs do not disturb each other, links come first."""

import pytest

SLOTS = "Object.keys(localStorage).filter((key) => key.startsWith('waygrid.drawing.'))"
COLUMN = "Array.from({length: 9}, (_, y) => studio.wall(4, y))"


@pytest.fixture
def drawn(field):
    """The small map with a wall in column 4, rows 2 to 6."""
    field.drag((4, 2), (4, 6), steps=12)
    assert sum(field.get(COLUMN)) == 5
    return field


def reload(studio):
    studio.page.reload()
    studio.wait("window.studio && studio.state === 'finished'")


def other_tab(studio, fragment=""):
    return type(studio)(studio.page.context.new_page(), studio.address).open(fragment)


def test_drawn_map_survives_a_reload(drawn):
    page = drawn.page
    page.keyboard.press("t")
    drawn.drag((9, 0), (9, 8), steps=10)
    page.select_option("#algorithm", "dijkstra")
    drawn.settle()
    before = drawn.get("[studio.map, studio.query, studio.panes[0].algorithm, studio.path()]")
    for _ in range(2):
        reload(drawn)
        assert drawn.get("[studio.map, studio.query, studio.panes[0].algorithm, studio.path()]") == before
        assert sum(drawn.get(COLUMN)) == 5
        assert drawn.get("studio.weight(9, 3)") == 4
        assert "shown as you left it" in drawn.message()


def test_opened_file_survives_a_reload_without_a_note(field):
    reload(field)
    assert field.get("[studio.map.name, studio.map.edited]") == ["field.map", False]
    assert field.message() == ""


def test_example_is_not_kept(studio):
    studio.example("hex")
    reload(studio)
    assert studio.get("studio.map.name") == "A building"
    assert studio.get(SLOTS) == []


def test_restored_map_can_be_discarded(drawn):
    reload(drawn)
    drawn.page.click(".message .action:text('Discard')")
    drawn.wait("studio.map.name === 'A building' && studio.state === 'finished'")
    drawn.page.wait_for_timeout(400)  # longer than the page waits before it writes
    assert drawn.get(SLOTS) == []
    reload(drawn)
    assert drawn.get("studio.map.name") == "A building"
    assert drawn.message() == ""


def test_tabs_do_not_destroy_each_other(drawn):
    other = other_tab(drawn)
    assert other.get("studio.map.name") == "A building"
    other.drag((1, 1), (2, 1))
    assert other.get("studio.map.edited")
    for tab, name in ((drawn, "field.map"), (other, "A building"), (drawn, "field.map")):
        reload(tab)
        assert tab.get("[studio.map.name, studio.map.edited]") == [name, True]
    assert len(drawn.get(SLOTS)) == 2
    other.check()


def test_duplicated_tab_gets_a_place_of_its_own(drawn):
    """Browsers copy sessionStorage into a duplicate; the name of the tab's slot must not be in it."""
    assert drawn.get("sessionStorage.length") == 0
    reload(drawn)
    assert drawn.get("sessionStorage.length") == 0
    assert sum(drawn.get(COLUMN)) == 5


def test_drawing_of_a_closed_tab_is_offered(drawn):
    drawn.page.goto("about:blank")  # as good as closed
    other = other_tab(drawn)
    assert "saved a map that you drew: “field.map”, 14" in other.message()
    other.page.click("#tab-map")
    assert "field.map" in other.page.inner_text("#drafts")
    other.page.click("[aria-label='Show field.map']")
    other.wait("studio.map.name === 'field.map' && studio.state === 'finished'")
    assert sum(other.get(COLUMN)) == 5
    assert other.page.locator("#drafts").is_hidden()
    reload(other)
    assert sum(other.get(COLUMN)) == 5
    other.check()


def test_file_that_was_only_opened_is_not_offered(field):
    field.page.goto("about:blank")
    other = other_tab(field)
    assert other.message() == ""
    assert other.page.locator("#drafts").is_hidden()
    other.check()


def test_drawing_that_makes_way_for_another_map_is_listed(drawn):
    page = drawn.page
    drawn.example("hex")
    page.click("#tab-map")
    page.click("[aria-label='Show field.map']")
    drawn.wait("studio.map.name === 'field.map' && studio.state === 'finished'")
    assert sum(drawn.get(COLUMN)) == 5
    drawn.example("tex")
    page.click("[aria-label='Discard field.map']")
    assert page.locator("#drafts").is_hidden()
    assert drawn.get(SLOTS) == []


def test_links_come_first_and_what_is_drawn_on_them_survives(drawn):
    page = drawn.page
    page.click("#link")
    drawn.wait("location.hash.length > 4")
    link = drawn.get("location.hash")
    drawn.drag((5, 2), (5, 3))
    reload(drawn)  # the address has the link, but the map was changed since
    assert drawn.get("studio.wall(5, 2)")
    page.goto("about:blank")
    drawn.open(link)
    assert not drawn.get("studio.wall(5, 2)")
    assert sum(drawn.get(COLUMN)) == 5
    page.click("#tab-map")
    assert "field.map" in page.inner_text("#drafts")


def test_map_that_is_too_large_to_keep_is_said_and_no_old_one_shown(drawn):
    """A browser that is full is simulated; other drawings make room first."""
    drawn.get("localStorage.setItem('waygrid.drawing.old', JSON.stringify({saved: Date.now() - 1e7}) + '\\n')")
    drawn.get("""(() => {
        const write = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
            if (value.length > 100) throw new DOMException("full", "QuotaExceededError");
            write.call(this, key, value);
        };
    })()""")
    drawn.drag((5, 2), (5, 3))
    drawn.wait("document.querySelector('.message.warning') !== null")
    assert "too large to be saved in the browser" in drawn.message()
    assert drawn.get(SLOTS) == []
    reload(drawn)
    assert drawn.get("studio.map.name") == "A building"


def test_damaged_slot_is_left_aside(drawn):
    drawn.page.wait_for_timeout(400)
    drawn.get("""addEventListener("pagehide", () => {
        for (const key of Object.keys(localStorage)) {
            const text = localStorage.getItem(key);
            localStorage.setItem(key, text.slice(0, text.indexOf("\\n") + 9));
        }
    })""")
    reload(drawn)
    assert drawn.get("studio.map.name") == "A building"
    assert drawn.get(SLOTS) == []
