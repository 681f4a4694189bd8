"""Prints the string literals of Python files as JSON: [{"file", "key", "text"}], key = what each is the value of."""

import ast
import json
import sys


def text_of(node):
    """The text of a literal, with {} where an f-string has a value; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    return None


def walk(node, key, found):
    """Collects (key, text) below the node: dictionary keys, arguments and assigned names are keys."""
    text = text_of(node)
    if text is not None:
        found.append((key, text))
        return
    if isinstance(node, ast.Dict):
        for name, value in zip(node.keys, node.values):
            walk(value, str(text_of(name)) if name is not None else key, found)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        for index, value in enumerate(node.args):
            walk(value, f"{name}.{index}", found)
        for keyword in node.keywords:
            walk(keyword.value, str(keyword.arg), found)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if node.value is not None:
            walk(node.value, getattr(target, "id", getattr(target, "attr", key)), found)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    else:
        for child in ast.iter_child_nodes(node):
            walk(child, key, found)


rows = []
for file in sys.argv[1:]:
    with open(file, encoding="utf-8") as source:
        found = []
        walk(ast.parse(source.read()), "", found)
    rows += [{"file": file, "key": key, "text": text} for key, text in found]
json.dump(rows, sys.stdout)
