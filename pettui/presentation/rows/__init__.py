"""The rows of a list: finding, sorting, merging, highlighting, and where the cursor goes."""
