"""The list: what is loaded and asked for, how it is shown, and its screen."""
