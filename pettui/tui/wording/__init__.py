"""The screens' texts for errors, entries, notices and lists."""
