"""What every screen and every box has, and the boxes of the whole app."""
