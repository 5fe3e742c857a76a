"""``pettui ssh``: the command, and the app of animals that ``pettui.ssh`` is handed to serve."""
