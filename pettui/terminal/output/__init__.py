"""From Textual's segments to the bytes of the cells that changed."""
