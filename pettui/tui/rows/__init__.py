"""Which rows are shown, in which order, with what highlighted, and where the cursor goes."""
