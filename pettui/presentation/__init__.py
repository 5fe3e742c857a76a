"""How animals are presented on any terminal: glyphs, notices, and which rows; no Textual."""
