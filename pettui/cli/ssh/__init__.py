"""``pettui ssh``: the command, and the factory of apps that ``pettui.ssh`` serves."""
