"""Texts that callers send: how long, how many lines, which characters. No class of the studio.

Lengths are code points. What stands around a text is not counted for its least length and is taken
off; what is left is given on as it came.
"""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sdl.scalar_types import ConstrainedStr, rule_error

_NOT_IN_TEXT = r"\u0000-\u0008\u000b-\u001f\u007f-\u009f"
_NOT_IN_LINE = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
_SPACES = r" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROL_SPACES = r"\u000b-\u000d\u001c-\u001f\u0085"
_LINE_ENDS = r"\t\n\u2028\u2029"


@dataclass(frozen=True)
class TextConstraint:
    """A text of `least` to `most` characters, on one line or on several."""

    min_length: int
    max_length: int
    multiline: bool = False
    allow_any_character: bool = False
    """Whether it may hold anything but U+0000, as what models read may."""

    @property
    def rule(self) -> str:
        """What is allowed."""
        length = (
            f"{self.min_length} to {self.max_length}"
            if self.min_length
            else f"at most {self.max_length}"
        )
        if self.allow_any_character:
            return f"a text of {length} characters, without U+0000"
        kind = "a text" if self.multiline else "one line"
        ends = "; lines end with a line feed" if self.multiline else ""
        return f"{kind} of {length} characters, without control characters{ends}"

    @property
    def pattern(self) -> str:
        """The rule as a regular expression, but for the greatest length."""
        around = (
            _SPACES
            if not (self.multiline or self.allow_any_character)
            else f"{_SPACES}{_LINE_ENDS}"
        )
        around += _CONTROL_SPACES if self.allow_any_character else ""
        if self.min_length == 0:
            return f"^[^{self._barred}]*$"
        if self.min_length == 1:
            return f"^[^{self._barred}]*[^{self._barred}{around}][^{self._barred}]*$"
        edge, more = f"[^{self._barred}{around}]", f"{{{self.min_length - 2},}}"
        return f"^[{around}]*{edge}[^{self._barred}]{more}{edge}[{around}]*$"

    @property
    def _barred(self) -> str:
        if self.allow_any_character:
            return r"\u0000"
        return _NOT_IN_TEXT if self.multiline else _NOT_IN_LINE

    def check(self, text: str) -> str:
        """The text without the spaces around it. Raises: PydanticCustomError."""
        inner = text.strip()
        barred = re.search(f"[{self._barred}]", text)
        if len(text) > self.max_length or len(inner) < self.min_length or barred:
            raise rule_error(self.rule, "")
        return inner

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
