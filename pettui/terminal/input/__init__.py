"""From a terminal's bytes to Textual's keys, mouse and pastes."""
