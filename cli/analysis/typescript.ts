// Reads the declaration of a TypeScript or JavaScript agent with the TypeScript parser.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { AgentSource } from './agent-source.ts';
import { declaredFacts } from './declared.ts';

type TypeScript = typeof import('typescript');
type Node = import('typescript').Node;
type Expression = import('typescript').Expression;
type SourceFile = import('typescript').SourceFile;

const frameworks: Record<string, string> = {
  '@langchain/core': 'langchain',
  '@langchain/langgraph': 'langchain',
  langchain: 'langchain',
  '@openai/agents': 'swarm',
  '@strands-agents/sdk': 'strands',
};

/** Finds the first `platformAgent({…})`; see `analyseAgent` for the errors. */
export async function analyseTypeScript(file: string, source: string): Promise<AgentSource> {
  const typescript = await loadParser(file);
  const tree = typescript.createSourceFile(file, source, typescript.ScriptTarget.Latest, true);
  refuseSyntaxErrors(typescript, file, tree);
  const constants = new Map<string, Expression>();
  const found: JsonObject = {};
  const markers: JsonValue[] = [];
  let framework = 'pure_typescript';
  const visit = (node: Node): void => {
    if (typescript.isVariableDeclaration(node) && typescript.isIdentifier(node.name)) {
      if (node.initializer !== undefined) constants.set(node.name.text, node.initializer);
    }
    if (typescript.isImportDeclaration(node) && typescript.isStringLiteral(node.moduleSpecifier)) {
      framework = frameworks[node.moduleSpecifier.text] ?? framework;
    }
    if (
      typescript.isPropertyAssignment(node) &&
      nameOf(typescript, node.name) === 'PLATFORM_ROLE'
    ) {
      const role = literal(typescript, node.initializer, constants);
      if (typeof role === 'string') markers.push(role);
    }
    if (typescript.isCallExpression(node) && found.declared === undefined) {
      const argument = node.arguments[0];
      if (calledName(typescript, node.expression) === 'platformAgent' && argument !== undefined) {
        Object.assign(found, literal(typescript, argument, constants), { declared: true });
      }
    }
    typescript.forEachChild(node, visit);
  };
  visit(tree);
  return {
    language: 'typescript',
    ...declaredFacts(file, { ...found, markers }),
    framework: typeof found.framework === 'string' ? found.framework : framework,
  };
}

async function loadParser(file: string): Promise<TypeScript> {
  try {
    return (await import('typescript')).default;
  } catch (cause) {
    throw new PlatformError('configuration_invalid', `cannot read ${file} without its parser`, {
      cause,
      hint: 'install the package "typescript"',
    });
  }
}

function refuseSyntaxErrors(typescript: TypeScript, file: string, tree: SourceFile): void {
  // The parser keeps its diagnostics on the tree; they are not in the public types.
  const { parseDiagnostics } = tree as unknown as {
    parseDiagnostics?: import('typescript').DiagnosticWithLocation[];
  };
  const first = parseDiagnostics?.[0];
  if (first === undefined) return;
  const { line, character } = tree.getLineAndCharacterOfPosition(first.start);
  const message = typescript.flattenDiagnosticMessageText(first.messageText, ' ');
  throw new PlatformError('configuration_invalid', `${file} does not parse: ${message}`, {
    data: { file, line: line + 1, column: character + 1 },
  });
}

function calledName(typescript: TypeScript, callee: Expression): string | undefined {
  if (typescript.isIdentifier(callee)) return callee.text;
  return typescript.isPropertyAccessExpression(callee) ? callee.name.text : undefined;
}

function nameOf(typescript: TypeScript, name: Node): string | undefined {
  return typescript.isIdentifier(name) || typescript.isStringLiteral(name) ? name.text : undefined;
}

/** The value of a literal, or of a name bound to one; what only running would tell is null. */
function literal(
  typescript: TypeScript,
  node: Expression,
  constants: ReadonlyMap<string, Expression>,
  depth = 0,
): JsonValue {
  if (depth > 16) return null;
  const read = (each: Expression) => literal(typescript, each, constants, depth + 1);
  if (typescript.isStringLiteralLike(node)) return node.text;
  if (typescript.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === typescript.SyntaxKind.TrueKeyword) return true;
  if (node.kind === typescript.SyntaxKind.FalseKeyword) return false;
  if (typescript.isArrayLiteralExpression(node)) return node.elements.map(read);
  if (typescript.isAsExpression(node) || typescript.isSatisfiesExpression(node)) {
    return read(node.expression);
  }
  if (typescript.isIdentifier(node)) {
    const bound = constants.get(node.text);
    return bound === undefined ? null : read(bound);
  }
  if (!typescript.isObjectLiteralExpression(node)) return null;
  const value: JsonObject = {};
  for (const property of node.properties) {
    if (typescript.isShorthandPropertyAssignment(property)) {
      value[property.name.text] = read(property.name);
    }
    if (!typescript.isPropertyAssignment(property)) continue;
    const name = nameOf(typescript, property.name);
    if (name !== undefined) value[name] = read(property.initializer);
  }
  return value;
}
