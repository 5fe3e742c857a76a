"""Animals in files: exports, imports, and the lists that were shown last."""
