"""The roof: settings, assembly, command line. The only place that reads the environment."""
