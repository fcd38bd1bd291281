"""What a schema is declared with: base classes, scalars, directives, marks, shapes."""
