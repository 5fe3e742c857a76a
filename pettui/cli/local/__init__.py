"""The app on the terminal that it was started in."""
