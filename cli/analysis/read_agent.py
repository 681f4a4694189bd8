"""Prints what a Python agent's source declares, as JSON: it is parsed, never imported or run."""

import ast
import json
import sys

FRAMEWORKS = {
    "crewai": "crewai",
    "langchain": "langchain",
    "langgraph": "langchain",
    "autogen": "autogen",
    "strands": "strands",
    "swarm": "swarm",
}
DECORATORS = {"platform_agent"}
FIELDS = ("name", "tenant", "resources", "subprocess_support", "framework")
POSITIONS = ("name", "tenant", "resources", "subprocess_support")


def literal(node, constants):
    """The value of a literal, or of a module-level name that is bound to one; else None."""
    if isinstance(node, ast.Name):
        node = constants.get(node.id)
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def called_name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def declaration(tree, constants):
    """The arguments of the first platform_agent(...) in the source."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called_name(node.func) in DECORATORS:
            given = {k.arg: literal(k.value, constants) for k in node.keywords if k.arg in FIELDS}
            for field, argument in zip(POSITIONS, node.args):
                given.setdefault(field, literal(argument, constants))
            return given
    return {}


def role_markers(tree, constants):
    """Values given to PLATFORM_ROLE, in a dict literal, a keyword or an item assignment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values)
            yield from (literal(v, constants) for k, v in pairs if marks_role(k))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and marks_role(target.slice):
                    yield literal(node.value, constants)
        elif isinstance(node, ast.keyword) and node.arg == "PLATFORM_ROLE":
            yield literal(node.value, constants)


def marks_role(node):
    return isinstance(node, ast.Constant) and node.value == "PLATFORM_ROLE"


def framework_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        for module in modules:
            if module.split(".")[0] in FRAMEWORKS:
                return FRAMEWORKS[module.split(".")[0]]
    return "pure_python"


def main():
    try:
        tree = ast.parse(sys.stdin.buffer.read(), filename="agent")
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", None), getattr(error, "offset", None)
        print(json.dumps({"error": str(error), "line": line, "column": column}))
        return
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    given = declaration(tree, constants)
    given["markers"] = [role for role in role_markers(tree, constants) if isinstance(role, str)]
    given["detected"] = framework_of(tree)
    print(json.dumps(given, default=lambda value: None))


main()
