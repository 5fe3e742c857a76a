"""Demos over SSH: staged faults of one user, the welcome text, and animals of a file."""

from __future__ import annotations

from pettui.composition.demo import DemoOptions
from pettui.models.pets import NewPet
from tests.demo_page import steps
from tests.ssh.conftest import Running, Screen, serve

F5, F9, ESCAPE = "\x1b[15~", "\x1b[20~", "\x1b"


async def test_two_users_with_different_faults_see_only_their_own(running: Running) -> None:
    async with running.session() as one, running.session() as other:
        one.press(":", "401\r")
        other.press(":", "410\r")
        await one.wait_for("staged: key 401")
        await other.wait_for("staged: getPet 410")
        one.press(F5)
        other.press(F5, "\r")
        await one.wait_for("401 unauthorized")
        await other.wait_for("getPet is gone; looked up by GET /pets")
        assert "410" not in one.text
        assert "401" not in other.text


async def test_a_paste_behind_keys_that_start_over_reaches_the_new_demo(screen: Screen) -> None:
    screen.press(f"{F9}ya\x1b[200~{'Mimi ' * 30}Tiny\x1b[201~")
    await screen.wait_for("Add an animal", "Mimi Tiny")
    assert screen.written.count(b"\x1b[?1049h") > 1


async def test_each_user_sees_the_welcome_and_the_animals_of_the_file() -> None:
    animals = (NewPet(name="Tom", category_id=1), NewPet(name="Greta", category_id=3))
    demo = DemoOptions(animals, ("Hello \x1b[31mthere",), is_read_only=True)
    async with serve(demo=demo) as running:
        for _ in range(2):
            async with running.opened() as screen:
                await screen.wait_for("─ Welcome ─", "Hello ␛[31mthere", "any key continues")
                screen.press("q")
                await screen.wait_for("▌     2  Greta", "read-only")
                screen.press("a")
                await screen.wait_for("this demo accepts no new animals")
                screen.press(F9)
                await screen.wait_for("The demo starts over")


async def test_the_page_says_how_the_demo_starts_over_for_the_next_visitor() -> None:
    [step] = steps("For the next visitor")
    async with serve() as running, running.session() as screen:
        screen.press(ESCAPE)
        await screen.wait_until(lambda: step.seen[0] not in screen.text)
        screen.press(*(F9 if key == "F9" else key for key in step.pressed))
        await screen.wait_for(*step.seen)


async def test_any_other_key_leaves_the_demo_as_it_is(screen: Screen) -> None:
    """The key has no other effect: the next one is for the list."""
    screen.press("a", "Castor\t3\r")
    await screen.wait_for("61 Castor")
    screen.press("\x1b", F9)
    await screen.wait_for("Start the demo over?")
    screen.press("a")
    await screen.wait_until(lambda: "Start the demo over?" not in screen.text)
    await screen.wait_for("Castor", " shown")
    assert screen.written.count(b"\x1b[?1049h") == 1
    screen.press("a")
    await screen.wait_for("Add an animal")


async def test_f9_is_the_outbox_in_the_form(screen: Screen) -> None:
    screen.press("a", F9)
    await screen.wait_for("Outbox", "esc Back")
    assert "Start the demo over?" not in screen.text
