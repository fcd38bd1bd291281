"""How large the files of the content may be."""

MEBIBYTE = 1 << 20
MAX_FILE_BYTES = MEBIBYTE
"""What one file may have unless the setting says otherwise."""
MAX_MEBIBYTES = 64
"""What the setting may allow."""
