"""The validation rules that a document needs: those that look at a kind of node that it has.

graphql-core calls all of its rules for every document, also the rules on fragments, variables and
directives for a document that has none. Leaving those out changes no error and saves most of the
time of validation.
"""

from collections.abc import Collection
from functools import cache

from graphql import (
    ArgumentNode,
    DirectiveNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    NamedTypeNode,
    ObjectValueNode,
    VariableDefinitionNode,
    VariableNode,
)
from graphql.language import Node
from graphql.validation import (
    ASTValidationRule,
    DeferStreamDirectiveLabel,
    DeferStreamDirectiveOnRootField,
    DeferStreamDirectiveOnValidOperationsRule,
    FragmentsOnCompositeTypesRule,
    KnownArgumentNamesRule,
    KnownDirectivesRule,
    KnownFragmentNamesRule,
    KnownTypeNamesRule,
    NoFragmentCyclesRule,
    NoUndefinedVariablesRule,
    NoUnusedFragmentsRule,
    NoUnusedVariablesRule,
    PossibleFragmentSpreadsRule,
    StreamDirectiveOnListField,
    UniqueArgumentNamesRule,
    UniqueDirectivesPerLocationRule,
    UniqueFragmentNamesRule,
    UniqueInputFieldNamesRule,
    UniqueVariableNamesRule,
    ValuesOfCorrectTypeRule,
    VariablesAreInputTypesRule,
    VariablesInAllowedPositionRule,
    specified_rules,
)

Rules = tuple[type[ASTValidationRule], ...]

_ARGUMENTS = (ArgumentNode,)
_DIRECTIVES = (DirectiveNode,)
_FRAGMENTS = (FragmentDefinitionNode, FragmentSpreadNode)
_VARIABLES = (VariableDefinitionNode, VariableNode)
NEEDED_FOR: dict[type[ASTValidationRule], tuple[type[Node], ...]] = {
    DeferStreamDirectiveLabel: _DIRECTIVES,
    DeferStreamDirectiveOnRootField: _DIRECTIVES,
    DeferStreamDirectiveOnValidOperationsRule: _DIRECTIVES,
    FragmentsOnCompositeTypesRule: (*_FRAGMENTS, InlineFragmentNode),
    KnownArgumentNamesRule: _ARGUMENTS,
    KnownDirectivesRule: _DIRECTIVES,
    KnownFragmentNamesRule: _FRAGMENTS,
    KnownTypeNamesRule: (NamedTypeNode,),
    NoFragmentCyclesRule: _FRAGMENTS,
    NoUndefinedVariablesRule: _VARIABLES,
    NoUnusedFragmentsRule: _FRAGMENTS,
    NoUnusedVariablesRule: _VARIABLES,
    PossibleFragmentSpreadsRule: (*_FRAGMENTS, InlineFragmentNode),
    StreamDirectiveOnListField: _DIRECTIVES,
    UniqueArgumentNamesRule: _ARGUMENTS,
    UniqueDirectivesPerLocationRule: _DIRECTIVES,
    UniqueFragmentNamesRule: _FRAGMENTS,
    UniqueInputFieldNamesRule: (ObjectValueNode,),
    UniqueVariableNamesRule: _VARIABLES,
    ValuesOfCorrectTypeRule: (*_ARGUMENTS, VariableDefinitionNode),
    VariablesAreInputTypesRule: _VARIABLES,
    VariablesInAllowedPositionRule: _VARIABLES,
}
"""The nodes of which a document must have one for a rule to find an error in it; a rule that is
not here is held against every document."""
_DECIDING = frozenset(kind for kinds in NEEDED_FOR.values() for kind in kinds)


def rules_for(kinds: Collection[type[Node]]) -> Rules:
    """Return the rules that a document with these kinds of nodes can break, in their own order."""
    return _rules_for(
        frozenset(own for own in _DECIDING if any(issubclass(kind, own) for kind in kinds))
    )


@cache
def _rules_for(deciding: frozenset[type[Node]]) -> Rules:
    return tuple(
        rule
        for rule in specified_rules
        if rule not in NEEDED_FOR or not deciding.isdisjoint(NEEDED_FOR[rule])
    )
