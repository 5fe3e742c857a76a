"""The list: filters, limit, pages, refresh, and what stands there while it asks and when it fails."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from textual import events

from tests.tui.driving import ids_of, open_app
from tests.tui.scripted_service import (
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    html,
    pet,
    pets,
)

LINKED = (("link", '</v1/pets?limit=3&cursor=c>; rel="next"'),)


def scripted(*answers: Response) -> ScriptedService:
    """Return a service that answers lists like this, the last answer for ever."""
    service = ScriptedService([])
    service.next("listPets", *answers[:-1])
    service.always("listPets", answers[-1])
    return service


# What is asked


@pytest.mark.parametrize(("key", "status"), [("3", "pending"), ("1", None)])
async def test_a_figure_filters_on_the_service(key: str, status: str | None) -> None:
    """1 to 4 are the status parameter of listPets, and only such animals are shown."""
    async with open_app() as driver:
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status is not None)
        await driver.press(key)
        await driver.until(lambda: driver.screen.listing.query.status == status)
        assert driver.service.requests[-1].query.get("status") == status
        shown = {row.status for row in driver.screen.table.rows}
        assert shown == ({status} if status else {"available", "pending", "sold", None})


async def test_plus_and_minus_set_the_limit_and_ask_once_the_keys_rest() -> None:
    """+ and - go by steps; the service is asked for the last one alone."""
    async with open_app(limit=5) as driver:
        assert len(ids_of(driver.lines)) == 5
        await driver.press("+", "+", "+", "-")
        await driver.until(lambda: len(ids_of(driver.lines)) == 20)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["5", "20"]
        assert "limit 20" in driver.bottom


async def test_as_many_are_asked_for_as_the_screen_has_rows() -> None:
    """Unless a limit is set; another filter likewise."""
    async with open_app(limit=None, size=(120, 50)) as driver:
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status == "available")
        assert [asked.query["limit"] for asked in driver.service.requests] == ["50", "50"]


async def test_a_limit_that_was_chosen_stays_for_other_filters() -> None:
    """More of one list alone changes nothing for the others."""
    async with open_app(limit=None, size=(80, 24)) as driver:
        await driver.press("+")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        await driver.press("M")
        await driver.until(lambda: len(driver.screen.table.rows) == 60)
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status == "available")
        assert driver.service.requests[-1].query["limit"] == "40"


@pytest.mark.parametrize(("limit", "key"), [(1, "-"), (100, "+")])
async def test_the_limit_stays_within_the_interfaces_bounds(limit: int, key: str) -> None:
    """1 to 100, and no question is asked for what would not change."""
    async with open_app(limit=limit) as driver:
        await driver.press(key, "j")
        assert f"limit {limit}" in driver.bottom
        assert driver.screen.loader.query.limit == limit


async def test_more_appends_the_page_that_the_service_links() -> None:
    """M follows Link rel=next, and says nothing more of more when there is none."""
    service = scripted(Response(body=pets(3, 4), headers=LINKED), Response(body=pets(3)))
    async with open_app(service, limit=3) as driver:
        assert "m: more" in driver.bottom
        await driver.press("m")
        await driver.until(lambda: ids_of(driver.lines) == [6, 5, 4, 3, 2, 1])
        assert service.requests[-1].query == {"limit": "3", "cursor": "c"}
        assert "m: more" not in driver.bottom


async def test_m_typed_twice_at_once_shows_two_pages_more() -> None:
    """A key that is pressed while the question before is out counts too."""
    async with open_app(limit=10) as driver:
        gate = driver.service.hold("listPets")
        driver.type("m", "m")
        await driver.until(lambda: driver.screen.header.spinner)
        gate.set()
        await driver.until(lambda: len(driver.screen.table.rows) == 30)


async def test_a_refresh_after_more_asks_for_as_many_pages() -> None:
    """Every page that was loaded is asked for again."""
    async with open_app(limit=10) as driver:
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 20)
        await driver.press("r")
        await driver.until(lambda: len(driver.service.requests) == 4)
        await driver.until(lambda: not driver.screen.header.spinner)
        assert len(driver.screen.table.rows) == 20


async def test_f5_after_a_page_that_failed_asks_for_that_page_alone() -> None:
    """What is loaded before it stays."""
    first = Response(body=pets(3, 4), headers=LINKED)
    answers = (first, error(500, "internal", "no"), Response(body=pets(3)))
    async with open_app(scripted(*answers), limit=3) as driver:
        await driver.press("m")
        await driver.sees("500 internal")
        assert ids_of(driver.lines) == [6, 5, 4]
        await driver.press("f5")
        await driver.until(lambda: ids_of(driver.lines) == [6, 5, 4, 3, 2, 1])
        assert [asked.query.get("cursor") for asked in driver.service.requests] == [None, "c", "c"]


async def test_m_after_a_page_that_was_stopped_asks_for_that_page_alone() -> None:
    """What was stopped is wanted no more."""
    first = Response(body=pets(3, 7), headers=LINKED)
    held = Response(gate=asyncio.Event())
    last = (("link", '</v1/pets?limit=3&cursor=d>; rel="next"'),)
    answers = (first, held, Response(body=pets(3, 4), headers=last), Response(body=pets(3)))
    async with open_app(scripted(*answers), limit=3) as driver:
        await driver.press("m")
        await driver.sees("loading the next page")
        await driver.press("escape")
        await driver.sees("Stopped")
        await driver.press("m")
        await driver.until(lambda: ids_of(driver.lines) == [9, 8, 7, 6, 5, 4])
        await driver.until(lambda: not driver.screen.header.spinner)
        assert len(driver.service.requests) == 3


async def test_a_refresh_keeps_the_scroll() -> None:
    """The row under the cursor stays on its row of the screen."""
    after = Response(body=[*pets(5, 101), *pets(60)])
    service = scripted(Response(body=pets(60)), after)
    async with open_app(service, size=(80, 24), limit=100) as driver:
        await driver.press(*["pagedown"] * 2, "k", "k", "k")
        row = driver.line_with("▌")
        place = driver.lines.index(row)
        await driver.press("r")
        await driver.until(lambda: len(driver.screen.table.rows) == 65)
        await driver.settled()
        assert driver.lines.index(driver.line_with("▌")) == place
        assert driver.line_with("▌").split()[1] == row.split()[1]


async def test_new_and_changed_rows_are_marked() -> None:
    """With a sign beside them and a count below."""
    changed = [pet(4, "New"), pet(3, "Animal 3"), pet(2, "Other name"), pet(1, "Animal 1")]
    async with open_app(scripted(Response(body=pets(3)), Response(body=changed))) as driver:
        await driver.press("r")
        await driver.sees("+    4  New", "~    2  Other name", "1 new", "1 changed")


async def test_a_late_response_to_an_older_query_is_dropped() -> None:
    """Only the newest question's answer is shown."""
    gate = asyncio.Event()
    late = Response(body=[pet(1, "Late", status="available")], gate=gate)
    prompt = Response(body=[pet(2, "Prompt", status="sold")])
    async with open_app(scripted(Response(body=pets(3)), late, prompt)) as driver:
        await driver.press("2")
        await driver.until(lambda: len(driver.service.requests) == 2)
        await driver.press("4")
        await driver.sees("Prompt")
        gate.set()
        await driver.settled()
        assert "Late" not in driver.text
        assert ids_of(driver.lines) == [2]


# While a question is out


async def test_the_spinner_turns_at_once_and_the_rows_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words come later: here they would take an hour."""
    monkeypatch.setattr("pettui.tui.screens.screen.SHOWN_AFTER", 3600.0)
    async with open_app() as driver:
        rows = ids_of(driver.lines)
        driver.service.hold("listPets")
        await driver.press("r")
        await driver.until(lambda: set(driver.lines[0]) & set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"))
        first = driver.lines[0]
        await driver.until(lambda: driver.lines[0] != first)
        assert ids_of(driver.lines) == rows
        assert "loading all animals" not in driver.text


async def test_keys_work_while_a_request_is_running() -> None:
    """The cursor moves, the form opens."""
    async with open_app() as driver:
        driver.service.hold("listPets")
        await driver.press("r", "j", "j")
        assert driver.screen.table.cursor == 2
        await driver.press("a")
        await driver.sees("Add an animal")


# When it fails


async def test_an_error_body_is_shown_in_the_banner_word_for_word() -> None:
    """Status code and message, and what to press."""
    message = "Missing or  invalid API key: it [b]expired[/b]"
    async with open_app(scripted(error(401, "unauthorized", message))) as driver:
        await driver.sees("✖ 401 unauthorized", "F5 Retry", "Missing or invalid API key")
        await driver.sees("[b]expired[/b]")
        assert driver.line_with("F5 Retry")


async def test_a_failure_keeps_the_old_rows_marked_with_their_time() -> None:
    """Until the next success; Esc closes the banner, and the rows are as old as before."""
    answers = (Response(body=pets(3)), error(500, "internal", "No luck"), Response(body=pets(3)))
    async with open_app(scripted(*answers)) as driver:
        await driver.press("r")
        await driver.sees("500 internal", "No luck", "all as of 12:01:03")
        assert ids_of(driver.lines) == [3, 2, 1]
        await driver.press("escape")
        assert "No luck" not in driver.text
        assert "all as of 12:01:03" in driver.text
        await driver.press("f5")
        await driver.sees_no("all as of")


async def test_the_next_success_closes_the_banner() -> None:
    """F5 retries."""
    answers = (error(500, "internal", "No luck"), Response(body=pets(3)))
    async with open_app(scripted(*answers)) as driver:
        await driver.sees("No luck", "Nothing was loaded. F5 retries.")
        await driver.press("f5")
        await driver.until(lambda: ids_of(driver.lines) == [3, 2, 1])
        assert "No luck" not in driver.text


async def test_what_came_in_place_of_an_error_body_is_said_and_can_be_looked_at() -> None:
    """F6 shows the beginning; it is offered only then."""
    async with open_app(scripted(html(500))) as driver:
        await driver.sees("500 from the service, no Error body: text/html", "F6 Full text")
        await driver.press("f6")
        await driver.sees("<html><h1>Oops</h1></html>")
        await driver.press("escape")
        await driver.sees_no("<h1>")


async def test_a_failure_without_an_answer_says_what_failed_and_where() -> None:
    """And the next answer says that the service is back."""
    refused = Response(error=httpx.ConnectError("[Errno 111] Connection refused"))
    service = scripted(Response(body=pets(3)), *[refused] * 4, Response(body=pets(3)))
    async with open_app(service) as driver:
        await driver.press("r")
        await driver.sees("No response", "store.example")
        assert ids_of(driver.lines) == [3, 2, 1]
        await driver.press("f5")
        await driver.sees("the service is back")


async def test_an_empty_list_says_so_and_what_to_press() -> None:
    """Of one status, and of all."""
    async with open_app(ScriptedService([])) as driver:
        await driver.sees("No animals yet. a adds one.")
        await driver.press("4")
        await driver.sees("No sold animals. 1 shows all, a adds one.")


async def test_enter_on_an_empty_list_does_nothing() -> None:
    """Nor do the keys that move."""
    async with open_app(ScriptedService([])) as driver:
        await driver.press("enter", "j", "k", "G", "g", "pagedown", "pageup")
        assert "No animals yet" in driver.text


async def test_an_unreadable_row_costs_itself_alone() -> None:
    """It is shown in its place with what is wrong; Enter shows what stands there."""
    rows = [pet(3), {"id": 2, "name": "Rex", "categoryId": "3"}, pet(1)]
    async with open_app(scripted(Response(body=rows))) as driver:
        await driver.sees("row 2 unreadable: categoryId", "1 unreadable")
        assert ids_of(driver.lines)[:1] == [3]
        await driver.press("j")
        await driver.sees("Row 2 is not an animal")
        await driver.press("enter")
        await driver.sees(
            "─ Row 2 is not an animal ─", "categoryId: must be a whole number", '"name": "Rex"'
        )
        await driver.press("escape", "k")
        assert driver.screen.table.cursor == 0


async def test_animals_of_another_status_are_shown_and_pointed_out() -> None:
    """The service was asked for sold ones."""
    rows = [pet(2, status="sold"), pet(1, status="available")]
    async with open_app(scripted(Response(body=[]), Response(body=rows))) as driver:
        await driver.press("4")
        await driver.sees("1 of another status than")
        assert ids_of(driver.lines) == [2, 1]


async def test_statuses_are_shown_by_glyph_and_word() -> None:
    """A missing one is not set, an unknown one is shown as it was sent."""
    rows = [pet(5, status="available"), pet(4, status="pending"), pet(3, status="sold"),
            pet(2, status="on loan"), pet(1, status=None), pet(0)]  # fmt: skip
    async with open_app(scripted(Response(body=rows))) as driver:
        await driver.sees("● available", "◐ pending", "○ sold", "? on loan")
        assert driver.text.count("– not set") == 2


async def test_a_link_to_another_origin_is_not_followed_and_said() -> None:
    """The key goes nowhere else."""
    elsewhere = (("link", '<https://elsewhere.example/v1/pets?cursor=c>; rel="next"'),)
    async with open_app(scripted(Response(body=pets(3), headers=elsewhere)), limit=3) as driver:
        await driver.sees("https://elsewhere.example", "not followed")


NOTICE = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
SAID = "listPets is deprecated. It goes away on 1 January 2027 (in 41 days)."


async def test_a_notice_on_a_refusal_stands_on_the_list() -> None:
    """Before anything was listed, and for as long as no answer says otherwise."""
    refusal = error(410, "gone_soon", "Not today", headers=NOTICE)
    async with open_app(scripted(refusal, Response(body=pets(3)))) as driver:
        await driver.sees("✖ 410 gone_soon", SAID)
        await driver.press("escape")
        assert SAID in driver.words
        await driver.press("f5")
        await driver.sees("3 shown")
        assert "deprecated" not in driver.text


async def test_a_failure_without_a_notice_leaves_that_of_the_list() -> None:
    """A proxy knows nothing of the service's plans."""
    service = scripted(Response(body=pets(3), headers=NOTICE), html(500))
    async with open_app(service) as driver:
        await driver.sees(SAID)
        await driver.press("r")
        await driver.sees("500 from the service")
        assert SAID in driver.words


# Moving


async def test_the_keys_that_move_the_cursor() -> None:
    """One row, a page, both ends, and never beyond them."""
    service = scripted(Response(body=pets(60)))
    async with open_app(service, size=(80, 24), limit=100) as driver:
        table = driver.screen.table

        async def at(*keys: str) -> int:
            await driver.press(*keys)
            return int(table.cursor)

        assert await at("k", "up") == 0
        assert await at("j", "down", "j") == 3
        page = await at("pagedown") - 3
        assert 10 < page < 24
        assert await at("pageup") == 3
        assert await at("ctrl+f") == 3 + page
        assert await at("ctrl+b") == 3
        assert await at("ctrl+d") == 3 + page // 2
        assert await at("ctrl+u") == 3
        assert await at("G") == 59
        assert "Animal 1 " in driver.line_with("▌")
        assert await at("j", "pagedown", "end") == 59
        assert await at("g") == 0
        assert "Animal 60 " in driver.line_with("▌")
        assert await at("end", "home") == 0


async def test_the_preview_shows_the_animal_under_the_cursor() -> None:
    """With what else the service sent, and where it is from."""
    rows = [pet(2, "Mimi"), pet(1, "Rex", 3, status="sold", vaccinated=True, tags=["a", 1])]
    async with open_app(scripted(Response(body=rows))) as driver:
        assert "Others" not in driver.text
        await driver.press("j")
        await driver.sees("Others    vaccinated: true", 'tags: ["a", 1]', "from the list, 12:01:03")


async def test_enter_opens_the_animal_and_esc_comes_back_to_it() -> None:
    """Where other animals were looked at, the cursor follows."""
    async with open_app() as driver:
        ids = ids_of(driver.lines)
        await driver.press("j", "enter", "j", "j", "escape")
        await driver.until(lambda: driver.screen.table.has_focus)
        assert int(driver.line_with("▌").split()[1]) == ids[3]


# The mouse


async def test_a_click_selects_and_a_second_one_opens() -> None:
    """Rows can be clicked."""
    async with open_app() as driver:
        ids = ids_of(driver.lines)
        await driver.pilot.click("PetTable", offset=(10, 3))
        assert driver.screen.table.cursor == 2
        await driver.pilot.double_click("PetTable", offset=(10, 5))
        await driver.sees(f"Id        {ids[4]}", "confirmed")


async def test_tabs_can_be_clicked() -> None:
    """Each where it stands."""
    async with open_app() as driver:
        place = driver.line_with("3 ◐ Pending").index("Pending")
        await driver.pilot.click("StatusTabs", offset=(place, 0))
        await driver.until(lambda: driver.service.requests[-1].query.get("status") == "pending")


async def test_the_key_bar_can_be_clicked() -> None:
    """It does what the key does."""
    async with open_app() as driver:
        place = driver.lines[-1].index("Add")
        await driver.pilot.click("KeyBar", offset=(place, 0))
        await driver.sees("Add an animal")


async def test_the_banner_can_be_clicked() -> None:
    """It retries."""
    async with open_app(scripted(UNAUTHORIZED, Response(body=pets(3)))) as driver:
        await driver.pilot.click("ErrorBanner", offset=(5, 0))
        await driver.until(lambda: ids_of(driver.lines) == [3, 2, 1])


async def test_the_wheel_scrolls_and_the_next_key_comes_back_to_the_cursor() -> None:
    """The cursor stays where it was meanwhile."""
    service = scripted(Response(body=pets(60)))
    async with open_app(service, size=(80, 24), limit=100) as driver:
        top = ids_of(driver.lines)[0]
        for _ in range(4):
            await driver.pilot._post_mouse_events(
                [events.MouseScrollDown], "PetTable", offset=(5, 5), button=0
            )
        await driver.until(lambda: ids_of(driver.lines)[0] < top)
        assert driver.screen.table.cursor == 0
        await driver.press("j")
        await driver.until(lambda: "▌" in driver.text)
