"""Constraints on numbers and on lists that callers send."""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sdl.types.scalar_types import rule_error


@dataclass(frozen=True)
class IntRange:
    """A whole number from `minimum` to `maximum`."""

    minimum: int
    maximum: int

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"a whole number from {self.minimum} to {self.maximum}"

    def check(self, number: object) -> int:
        """Return the number. Raises: PydanticCustomError if it is out of range."""
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
    """A list of 1 to `max_items` texts; a single text may be sent without the list."""

    max_items: int

    def check(self, value: object, handler: core_schema.ValidatorFunctionWrapHandler) -> object:
        """Return the list. Raises: PydanticCustomError if it is empty or too long."""
        if isinstance(value, list) and not 1 <= len(value) <= self.max_items:
            raise rule_error(f"one text, or a list of 1 to {self.max_items}", "")
        return handler([value] if isinstance(value, str) else value)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        list_schema = handler(schema)
        limited = {**list_schema, "minItems": 1, "maxItems": self.max_items}
        return {"anyOf": [list_schema["items"], limited]}
