"""The studio's content, one TOML file for each section, and its reader."""
