"""The words of the studio, one TOML file a section, and their reader. Imports schema alone."""
