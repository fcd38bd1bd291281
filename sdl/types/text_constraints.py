"""Constraints on texts that callers send: length, lines, characters.

Lengths are code points. Whitespace around a text is removed and does not count for `min_length`.
"""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sdl.types.scalar_types import ConstrainedStr, rule_error

_NOT_IN_TEXT = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"
_NOT_IN_LINE = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
_SPACES = r" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROL_SPACES = r"\u000b-\u000d\u001c-\u001f\u0085"
_LINE_ENDS = r"\t\n\r\u2028\u2029"


@dataclass(frozen=True)
class TextConstraint:
    """A text of `min_length` to `max_length` characters, on one line or on several."""

    min_length: int
    max_length: int
    multiline: bool = False
    allow_any_character: bool = False
    """Whether it may have any character except U+0000, as texts for models may."""

    @property
    def rule(self) -> str:
        """The rule in words."""
        length = (
            f"{self.min_length} to {self.max_length}"
            if self.min_length
            else f"at most {self.max_length}"
        )
        if self.allow_any_character:
            return f"a text of {length} characters, without U+0000"
        kind = "a text" if self.multiline else "one line"
        return f"{kind} of {length} characters, without control characters"

    @property
    def pattern(self) -> str:
        """The rule as a regular expression, without the maximum length."""
        spaces = (
            _SPACES
            if not (self.multiline or self.allow_any_character)
            else f"{_SPACES}{_LINE_ENDS}"
        )
        spaces += _CONTROL_SPACES if self.allow_any_character else ""
        forbidden = self._forbidden
        if self.min_length == 0:
            return f"^[^{forbidden}]*$"
        if self.min_length == 1:
            return f"^[^{forbidden}]*[^{forbidden}{spaces}][^{forbidden}]*$"
        edge, count = f"[^{forbidden}{spaces}]", f"{{{self.min_length - 2},}}"
        return f"^[{spaces}]*{edge}[^{forbidden}]{count}{edge}[{spaces}]*$"

    @property
    def _forbidden(self) -> str:
        """The forbidden characters, as the inside of a character class."""
        if self.allow_any_character:
            return r"\u0000"
        return _NOT_IN_TEXT if self.multiline else _NOT_IN_LINE

    def check(self, text: str) -> str:
        """Return the text without whitespace around it, its lines ended by line feeds alone.

        Raises: PydanticCustomError.
        """
        if self.multiline or self.allow_any_character:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        stripped = text.strip()
        if len(text) > self.max_length or len(stripped) < self.min_length:
            length = len(text) if len(text) > self.max_length else len(stripped)
            raise rule_error(f"{self.rule}; this one has {length}", "")
        if re.search(f"[{self._forbidden}]", text) is not None:
            raise rule_error(self.rule, "")
        return stripped

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, core_schema.str_schema())

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        length = {"minLength": self.min_length} if self.min_length else {}
        return {"type": "string", **length, "maxLength": self.max_length, "pattern": self.pattern}


class IdempotencyKey(ConstrainedStr):
    """A caller's own name for one call, so that repeating it does nothing twice."""

    rule = "1 to 255 visible ASCII characters"
    example = "6f1c2a9e-7d0b-4f5e-9a1d-2b3c4d5e6f70"
    pattern = r"[!-~]{1,255}"
    max_length = 255
