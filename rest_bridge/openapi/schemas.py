"""The schemas that the paths refer to, each written once among the components."""

from collections.abc import Collection, Iterator, Mapping

from rest_bridge.openapi.responses import SCHEMAS, PathItem
from sdl.types.shape import ObjectShape, ScalarShape, Shape, json_schema


class SharedSchemas:
    """The schemas of objects, enums and texts with a pattern, by a name of their own.

    A type is named as in GraphQL; another selection of the same type also has the name of what
    selects it, and so has a type with one of the `taken` names.
    """

    def __init__(
        self,
        whole: Mapping[str, ObjectShape],
        taken: Collection[str] = (),
        *,
        nulls: bool = False,
    ) -> None:
        """Take the fragments' shapes; with `nulls`, what is optional may be null."""
        self._taken = taken
        self._nulls = nulls
        self._shapes: dict[str, ObjectShape | ScalarShape] = {
            name: shape for name, shape in whole.items() if name not in taken
        }

    def of(self, shape: Shape, owner: str) -> PathItem:
        """Return the schema of a shape, with references to the parts that are shared."""
        return json_schema(shape, lambda part: self._reference(part, owner), nulls=self._nulls)

    def schemas(self) -> Iterator[tuple[str, PathItem]]:
        """Yield the schemas by name; those that they refer to come after them."""
        written = 0
        while written < len(self._shapes):
            name, shape = [*self._shapes.items()][written]
            yield name, self._schema(name, shape)
            written += 1

    def _schema(self, name: str, shape: ObjectShape | ScalarShape) -> PathItem:
        own = json_schema(
            shape,
            lambda part: None if part is shape else self._reference(part, name),
            nulls=self._nulls,
        )
        own.pop("title", None)  # its name is enough, and a title could stand twice
        return own

    def _reference(self, shape: ObjectShape | ScalarShape, owner: str) -> str | None:
        has_pattern = isinstance(shape, ScalarShape) and "pattern" in (shape.schema or {})
        if isinstance(shape, ScalarShape) and not (shape.words or has_pattern):
            return None
        if not shape.type_name:
            return None
        both = (shape.type_name, f"{owner}{shape.type_name}")
        names = [name for name in both if name not in self._taken]
        name = next((n for n in names if self._shapes.setdefault(n, shape) == shape), None)
        return None if name is None else f"{SCHEMAS}{name}"
