"""Taking animals away from a screen: into a file, or by the clipboard."""
