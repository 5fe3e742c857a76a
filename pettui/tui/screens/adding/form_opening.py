"""Opens the form on the draft that another screen chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.models import PetStatus
from pettui.outbox import Draft, OutboxError
from pettui.tui.screens.adding.pet_create import PetCreateScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.screens.pet_detail import PetDetailScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import App
    from textual.screen import Screen

    from pettui.models import Pet
    from pettui.tui.user_session import UserSession


async def open_form(app: App[Any], session: UserSession, known: Sequence[Pet]) -> None:
    """Open the form on the current draft; it is ready for the next key when this returns.

    A form that is open below the topmost screen is used again; if that is the outbox, Esc goes back
    there. Duplicates are looked for among the known animals.
    """
    form = next((each for each in app.screen_stack if isinstance(each, PetCreateScreen)), None)
    if form is None:
        await app.push_screen(PetCreateScreen(session, known))
        return
    is_from_outbox = isinstance(app.screen, OutboxScreen)
    while app.screen is not form:
        app.pop_screen()
    form.go_on(is_from_outbox=is_from_outbox)


async def open_form_like(screen: Screen[Any]) -> None:
    """Open the form with the category and status of the animal on the screen.

    An unfinished draft comes back later. A status unknown to this version is left unset.
    """
    if not isinstance(screen, PetDetailScreen) or (pet := screen.target) is None:
        return
    status = pet.status if pet.status in [*PetStatus] else None
    draft = Draft("", str(pet.category_id), status or "", is_kept=True)
    try:
        await screen.session.outbox.drafts.begin(draft)
    except OutboxError as error:
        screen.show_problem("Can't open the form", str(error))
        return
    await open_form(screen.app, screen.session, screen.known)
