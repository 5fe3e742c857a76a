"""The form of a new animal and its fields."""
