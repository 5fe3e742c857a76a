"""Commands for scripts, cron and pipes: one call or a few, then the end; no screen is imported."""
