"""Everything that can be set, each once."""
