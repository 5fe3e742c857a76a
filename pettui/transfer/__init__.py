"""Animals in files: exports and imports."""
