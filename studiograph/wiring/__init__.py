"""The parts of the service, built from the settings, one module a part."""
