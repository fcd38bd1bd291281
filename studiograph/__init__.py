"""The program: settings, assembly, command line. The only package that reads the environment."""
