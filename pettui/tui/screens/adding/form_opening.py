"""Opens the form for an animal like the one on the detail screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.models import PetStatus
from pettui.outbox import Draft, OutboxError
from pettui.tui.screens.adding.pet_create import PetCreateScreen
from pettui.tui.screens.pet_detail import PetDetailScreen

if TYPE_CHECKING:
    from textual.screen import Screen


async def open_form_like(screen: Screen[Any]) -> None:
    """Open the form with the animal's category and status; it is ready for the next key.

    A form that is open below the screen is used again. An unfinished draft comes back later. A
    status unknown to this version is left unset.
    """
    if not isinstance(screen, PetDetailScreen) or (pet := screen.selected_pet) is None:
        return
    status = pet.status if pet.status in [*PetStatus] else None
    draft = Draft("", str(pet.category_id), status or "", is_kept=True)
    try:
        await screen.session.outbox.drafts.begin(draft)
    except OutboxError as error:
        screen.show_problem("Can't open the form", str(error))
        return
    app = screen.app
    form = next((each for each in app.screen_stack if isinstance(each, PetCreateScreen)), None)
    if form is None:
        await app.push_screen(PetCreateScreen(screen.session, screen.known))
        return
    while app.screen is not form:
        app.pop_screen()
    form.draft.show()
