"""One tree-sitter query a language: which nodes define something, and where its name stands.

Captures: `@def` with its `@name` (and `@owner`, the type of a Go receiver) is a definition;
`@scope` with its `@name` only qualifies what stands in it; `@wrap` may carry the comment of the
first definition in it; `@body` holds statements, where C and C++ prototypes are mere variables;
`@skip` may stand between a definition and its comment; `@docstring` documents.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GRAMMARS", "GRAMMAR_OF_EXTENSION", "Grammar"]


class Grammar(NamedTuple):
    """A grammar wheel, the function in it that gives the language, and what to ask of it.

    `shell` is what a stretch of lines can be put into to be read as the inside of a class.
    """

    module: str
    function: str
    query: str
    shell: bytes = b""


_PYTHON = """
(function_definition name: (identifier) @name) @def
(class_definition name: (identifier) @name) @def
(type_alias_statement left: (type (identifier) @name)) @def
(function_definition body: (block . (expression_statement . (string) @docstring))) @documented
(class_definition body: (block . (expression_statement . (string) @docstring))) @documented
(decorated_definition) @wrap
"""

_FUNCTIONS = "[(arrow_function) (function_expression) (generator_function)]"

_JAVASCRIPT = f"""
(function_declaration name: (_) @name) @def
(generator_function_declaration name: (_) @name) @def
(class_declaration name: (_) @name) @def
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @def
(variable_declarator
  name: (identifier) @name value: [(class) {_FUNCTIONS[1:-1]}]) @def
(assignment_expression
  left: (member_expression property: (property_identifier) @name) right: {_FUNCTIONS}) @def
(export_statement) @wrap
(lexical_declaration) @wrap
(variable_declaration) @wrap
(expression_statement (assignment_expression)) @wrap
(decorator) @skip
"""

_FIELDS = "[(property_identifier) (private_property_identifier)]"
_JAVASCRIPT_ONLY = f"(field_definition property: {_FIELDS} @name value: {_FUNCTIONS}) @def"

_TYPESCRIPT = f"""
(public_field_definition name: {_FIELDS} @name value: {_FUNCTIONS}) @def
(abstract_class_declaration name: (_) @name) @def
(interface_declaration name: (_) @name) @def
(enum_declaration name: (_) @name) @def
(type_alias_declaration name: (_) @name) @def
(function_signature name: (_) @name) @def
(method_signature name: {_FIELDS} @name) @def
(abstract_method_signature name: {_FIELDS} @name) @def
(ambient_declaration) @wrap
"""

_GO = """
(function_declaration name: (identifier) @name) @def
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @def
(type_spec name: (type_identifier) @name) @def
(type_alias name: (type_identifier) @name) @def
(method_elem name: (field_identifier) @name) @def
(const_spec name: (identifier) @name value: (expression_list (func_literal))) @def
(var_spec name: (identifier) @name value: (expression_list (func_literal))) @def
(type_declaration) @wrap
(var_declaration) @wrap
"""

_RUST = """
(function_item name: (identifier) @name) @def
(function_signature_item name: (identifier) @name) @def
(struct_item name: (type_identifier) @name) @def
(union_item name: (type_identifier) @name) @def
(enum_item name: (type_identifier) @name) @def
(trait_item name: (type_identifier) @name) @def
(type_item name: (type_identifier) @name) @def
(macro_definition name: (identifier) @name) @def
(impl_item type: (_) @name) @scope
(attribute_item) @skip
"""

_JAVA = """
(class_declaration name: (identifier) @name) @def
(interface_declaration name: (identifier) @name) @def
(enum_declaration name: (identifier) @name) @def
(record_declaration name: (identifier) @name) @def
(annotation_type_declaration name: (identifier) @name) @def
(method_declaration name: (identifier) @name) @def
(constructor_declaration name: (identifier) @name) @def
"""

_C = """
(struct_specifier name: (type_identifier) @name body: (_)) @def
(union_specifier name: (type_identifier) @name body: (_)) @def
(enum_specifier name: (type_identifier) @name body: (_)) @def
(type_definition declarator: (type_identifier) @name) @alias
(function_declarator declarator: (identifier) @name) @def
(function_definition) @wrap
(declaration) @wrap
(type_definition) @wrap
(compound_statement) @body
"""

_CPP = """
(struct_specifier name: (_) @name body: (_)) @def
(union_specifier name: (_) @name body: (_)) @def
(enum_specifier name: (_) @name body: (_)) @def
(class_specifier name: (_) @name body: (_)) @def
(type_definition declarator: (type_identifier) @name) @alias
(alias_declaration name: (type_identifier) @name) @def
(concept_definition name: (identifier) @name) @def
(function_declarator declarator: [
  (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)
] @name) @def
(function_definition) @wrap
(declaration) @wrap
(field_declaration) @wrap
(type_definition) @wrap
(template_declaration) @wrap
(compound_statement) @body
"""

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar("tree_sitter_python", "language", _PYTHON),
    "javascript": Grammar(
        "tree_sitter_javascript", "language", _JAVASCRIPT + _JAVASCRIPT_ONLY, b"class _{"
    ),
    "typescript": Grammar(
        "tree_sitter_typescript", "language_typescript", _JAVASCRIPT + _TYPESCRIPT, b"class _{"
    ),
    "tsx": Grammar(
        "tree_sitter_typescript", "language_tsx", _JAVASCRIPT + _TYPESCRIPT, b"class _{"
    ),
    "go": Grammar("tree_sitter_go", "language", _GO),
    "rust": Grammar("tree_sitter_rust", "language", _RUST),
    "java": Grammar("tree_sitter_java", "language", _JAVA, b"class _{"),
    "c": Grammar("tree_sitter_c", "language", _C),
    "cpp": Grammar("tree_sitter_cpp", "language", _CPP),
}

GRAMMAR_OF_EXTENSION: dict[str, str] = {
    extension: grammar
    for grammar, extensions in {
        "python": ".py .pyi",
        "javascript": ".js .jsx .mjs .cjs",
        "typescript": ".ts .mts .cts",
        "tsx": ".tsx",
        "go": ".go",
        "rust": ".rs",
        "java": ".java",
        "c": ".c .h",
        "cpp": ".cc .cpp .cxx .hpp .hh",
    }.items()
    for extension in extensions.split()
}
