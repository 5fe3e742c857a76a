"""Adding an animal: the form, its drafts, its questions."""
