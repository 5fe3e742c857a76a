"""The lines above and below a screen's content: where one is, what happened, what the keys do."""
