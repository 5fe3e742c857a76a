"""The bars above and below a screen's content: header, tabs, banners, status, keys."""
