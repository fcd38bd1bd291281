"""Numbers that callers send, and how many of a thing: from what, to what."""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sdl.scalar_types import rule_error


@dataclass(frozen=True)
class IntRange:
    """A whole number from `least` to `most`."""

    minimum: int
    maximum: int

    @property
    def rule(self) -> str:
        """What is allowed."""
        return f"a whole number from {self.minimum} to {self.maximum}"

    def check(self, number: object) -> int:
        """The number itself. Raises: PydanticCustomError."""
        if type(number) is not int or not self.minimum <= number <= self.maximum:
            raise rule_error(self.rule, "")
        return number

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True)
class OneOrMany:
    """A list of one to `most` texts; one alone may stand without the list."""

    max_items: int

    def check(self, given: object, listed: core_schema.ValidatorFunctionWrapHandler) -> object:
        """The list. Raises: PydanticCustomError."""
        if isinstance(given, list) and not 1 <= len(given) <= self.max_items:
            raise rule_error(f"one text, or a list of 1 to {self.max_items}", "")
        return listed([given] if isinstance(given, str) else given)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        listed = handler(schema)
        several = {**listed, "minItems": 1, "maxItems": self.max_items}
        return {"anyOf": [listed["items"], several]}
