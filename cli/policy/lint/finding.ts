// What lint reports, where a fix goes, and how checks look at a syntax tree.
import type { RegoFile, RegoFinding } from '../../../runtime/modules/rego.ts';
import type {
  AstLocation,
  AstModule,
  AstRule,
  AstTerm,
} from '../../../runtime/modules/rego-ast.ts';

/** A change of a file's text between two offsets. */
export interface Edit {
  file: string;
  start: number;
  end: number;
  text: string;
}

/** One finding; `code` is the rule's id, `hint` what to do, `fix` what `--fix` would change. */
export interface LintFinding extends RegoFinding {
  fix?: Edit;
}

/** One file that is looked at. */
export interface Source extends RegoFile {
  module: AstModule;
  isTest: boolean;
  /** `platform.tool.operator` */
  package: string;
}

/** Everything a check may look at; `linted` are the files whose findings are wanted. */
export interface Sources {
  all: readonly Source[];
  linted: readonly Source[];
}

/** Reads a file's syntax tree. */
export function sourceOf(file: RegoFile, module: AstModule): Source {
  return {
    ...file,
    module,
    isTest: file.path.endsWith('_test.rego'),
    package: module.package.path
      .slice(1)
      .map(({ value }) => String(value))
      .join('.'),
  };
}

/** A finding at a node's place, with the text of its row. */
export function at(
  source: Source,
  location: AstLocation | undefined,
  finding: Pick<LintFinding, 'code' | 'message' | 'hint' | 'fix'>,
): LintFinding {
  const row = location?.row ?? 1;
  const text = source.content.split('\n')[row - 1] ?? '';
  return { ...finding, file: source.path, row, column: location?.col ?? 1, source: text };
}

/** Replaces the text of a node; undefined when the text is not where the place says. */
export function replace(
  source: Source,
  location: AstLocation | undefined,
  text: string,
): Edit | undefined {
  const before = location?.text;
  if (location === undefined || before === undefined) return undefined;
  const start = offsetOf(source.content, location.row) + location.col - 1;
  if (!source.content.startsWith(before, start)) return undefined;
  return { file: source.path, start, end: start + before.length, text };
}

/** Puts lines before a row. */
export function insertBefore(source: Source, row: number, text: string): Edit {
  const start = offsetOf(source.content, row);
  return { file: source.path, start, end: start, text };
}

function offsetOf(content: string, row: number): number {
  let offset = 0;
  for (let line = 1; line < row; line++) {
    const end = content.indexOf('\n', offset);
    if (end < 0) return content.length;
    offset = end + 1;
  }
  return offset;
}

type Node = Record<string, unknown>;

/** Visits every node below one, each with the nodes around it, innermost last. */
export function walk(
  node: unknown,
  visit: (node: Node, around: readonly Node[]) => void,
  around: Node[] = [],
): void {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, visit, around);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  visit(node as Node, around);
  around.push(node as Node);
  for (const [key, part] of Object.entries(node)) {
    if (key !== 'location' && key !== 'annotations') walk(part, visit, around);
  }
  around.pop();
}

/** Visits every term of some types below a node. */
export function walkTerms(
  node: unknown,
  types: readonly string[],
  visit: (term: AstTerm, around: readonly Node[]) => void,
): void {
  walk(node, (found, around) => {
    if (typeof found.type !== 'string' || !types.includes(found.type)) return;
    if ('value' in found) visit(found as unknown as AstTerm, around);
  });
}

/** `data.agents` of a reference, as far as its parts are names. */
export function nameOf(term: AstTerm): string {
  if (term.type === 'var') return String(term.value);
  if (term.type !== 'ref') return '';
  const names: string[] = [];
  for (const [index, part] of (term.value as AstTerm[]).entries()) {
    if (index === 0 ? part.type !== 'var' : part.type !== 'string') break;
    names.push(String(part.value));
  }
  return names.join('.');
}

/** Calls below a node: the operator's name and its operands, as statements and as terms. */
export function walkCalls(
  node: unknown,
  visit: (
    name: string,
    operands: AstTerm[],
    place: AstTerm | Node,
    around: readonly Node[],
  ) => void,
): void {
  walk(node, (found, around) => {
    const parts = found.type === 'call' ? found.value : 'terms' in found ? found.terms : undefined;
    if (!Array.isArray(parts)) return;
    const [operator, ...operands] = parts as [AstTerm, ...AstTerm[]];
    visit(nameOf(operator), operands, found, around);
  });
}

/** The name that the rule's package knows it by; members of a partial object share it. */
export function ruleName(rule: AstRule): string {
  return String(rule.head.ref?.[0]?.value);
}

/** The rule and its `else` branches. */
export function branchesOf(rule: AstRule): AstRule[] {
  return rule.else === undefined ? [rule] : [rule, ...branchesOf(rule.else)];
}
