"""The commands, a module each; ``declarations`` says what each of them takes."""
