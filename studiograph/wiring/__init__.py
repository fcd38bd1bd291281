"""How the parts are put together from the settings, one module a part."""
