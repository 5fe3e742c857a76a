"""Opens the form for an animal like the one that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.models import PetStatus
from pettui.outbox import Draft, OutboxError
from pettui.tui.screens.adding.pet_create import PetCreateScreen
from pettui.tui.screens.pet_detail import PetDetailScreen

if TYPE_CHECKING:
    from textual.screen import Screen


async def open_form_like(screen: Screen[Any]) -> None:
    """Open the form with category and status of the animal; the next key is typed into it.

    What is half typed there comes back after it. Where the form is open below, it goes on there.
    A status that this version does not know is not set.
    """
    if not isinstance(screen, PetDetailScreen) or (pet := screen.pointed_at) is None:
        return
    status = pet.status if pet.status in [*PetStatus] else None
    draft = Draft("", str(pet.category_id), status or "", is_kept=True)
    try:
        await screen.session.outbox.drafts.begin(draft)
    except OutboxError as error:
        screen.tell("The form is not opened", str(error))
        return
    app = screen.app
    form = next((each for each in app.screen_stack if isinstance(each, PetCreateScreen)), None)
    if form is None:
        await app.push_screen(PetCreateScreen(screen.session, screen.known))
        return
    while app.screen is not form:
        app.pop_screen()
    form.draft.show()
