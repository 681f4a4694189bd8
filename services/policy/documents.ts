// The documents that policies define: every package and every rule, each answered by one module.
import type { RegoFile } from '../../runtime/modules/rego.ts';
import type { AstModule } from '../../runtime/modules/rego-ast.ts';

/** The package of the generated rules; the sources of a bundle are all below `platform`. */
const QUERY_PACKAGE = 'platform_query';
const DOCUMENTS_MAX = 4000;

/** Where a document is, and the entrypoint of the query module that answers for it. */
export interface VirtualDocument {
  path: string[];
  entrypoint: string;
  /** A rule's value may be looked into; a package holds its rules and nothing else. */
  kind: Kind;
}

type Kind = 'package' | 'rule' | 'function';

/** A key of a map over paths: no two paths share one. */
export function keyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path);
}

/** Packages, what lies above them, rules and functions, each once. */
export function documentsOf(modules: readonly AstModule[]): VirtualDocument[] {
  const found = new Map<string, { path: string[]; kind: Kind }>();
  const add = (path: string[], kind: Kind) => {
    if (!found.has(keyOf(path))) found.set(keyOf(path), { path, kind });
  };
  for (const module of modules) {
    const own = stringsOf(module.package.path.slice(1));
    for (let length = 1; length <= own.length; length++) add(own.slice(0, length), 'package');
    for (const rule of module.rules ?? []) {
      const [name, ...rest] = rule.head.ref;
      const path = [...own, String(name?.value), ...stringsOf(rest)];
      for (let length = own.length + 1; length < path.length; length++) {
        add(path.slice(0, length), 'package');
      }
      const { args = [] } = rule.head;
      add(path, args.length > 0 ? 'function' : 'rule');
    }
  }
  return [...found.values()]
    .slice(0, DOCUMENTS_MAX)
    .map((document, index) => ({ ...document, entrypoint: `${QUERY_PACKAGE}/d${index}` }));
}

/** The leading terms that are plain strings: a rule's name ends where its keys are computed. */
function stringsOf(terms: readonly { type: string; value: unknown }[]): string[] {
  const end = terms.findIndex(({ type }) => type !== 'string');
  return terms.slice(0, end < 0 ? terms.length : end).map(({ value }) => String(value));
}

/** Those that have a value, and so an entrypoint. */
export function answerable(documents: readonly VirtualDocument[]): VirtualDocument[] {
  return documents.filter(({ kind }) => kind !== 'function');
}

/** A rule for each document, so that packages can be entrypoints of a Wasm module. */
export function querySource(documents: readonly VirtualDocument[]): RegoFile {
  const rules = answerable(documents).map(({ path, entrypoint }) => {
    const reference = path.map((term) => `[${JSON.stringify(term)}]`).join('');
    return `${entrypoint.split('/')[1]} := data${reference}\n`;
  });
  return {
    path: `${QUERY_PACKAGE}.rego`,
    content: `package ${QUERY_PACKAGE}\n\n${rules.join('\n')}`,
  };
}

/** The roots that the query module is compiled under. */
export const QUERY_ROOTS = ['platform', QUERY_PACKAGE];
