// Checks of what a policy says about itself: defaults, METADATA, schemas, tests.
import type { AstAnnotations, AstRule, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import {
  at,
  branchesOf,
  insertBefore,
  type LintFinding,
  replace,
  ruleName,
  type Source,
  type Sources,
  walk,
} from './finding.ts';

/** Sets whose elements refuse or permit, with a code, a message and controls. */
const CONTRIBUTIONS = ['grants', 'reasons', 'deny', 'require_approval'];

/** A rule `allow` without a default is undefined where nothing allows. */
export function defaults({ all, linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  const done = new Set<string>();
  for (const source of linted) {
    if (source.isTest || done.has(source.package)) continue;
    const same = all.filter((other) => other.package === source.package && !other.isTest);
    const rules = same.flatMap(({ module }) => module.rules ?? []);
    if (rules.some((rule) => ruleName(rule) === 'allow' && rule.default === true)) continue;
    const first = (source.module.rules ?? []).find(
      (rule) => ruleName(rule) === 'allow' && rule.head.key === undefined && !rule.head.args,
    );
    if (first === undefined) continue;
    done.add(source.package);
    const row = first.annotations?.[0]?.location?.row ?? first.location?.row ?? 1;
    found.push(
      at(source, first.location, {
        code: 'default',
        message: 'allow has no default: where nothing allows, it has no value',
        hint: 'write `default allow := false` before it',
        fix: insertBefore(
          source,
          row,
          '# METADATA\n# title: Default deny\ndefault allow := false\n\n',
        ),
      }),
    );
  }
  return found;
}

/** A title for every rule, and control ids of its own or of its package. */
export function metadata({ all, linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    const same = all.filter((other) => other.package === source.package && !other.isTest);
    const packages = same.flatMap(({ module }) => scoped(module.annotations, ['package']));
    const ofPackage = packages.some((notes) => controlsOf(notes) !== undefined);
    if (!packages.some(({ title }) => Boolean(title))) {
      found.push(
        missing(source, source.module.package.location, 'the package has no title', 'title'),
      );
    }
    const documents = new Set(
      same.flatMap(({ module }) =>
        (module.rules ?? [])
          .filter((rule) => scoped(rule.annotations, ['document']).some(({ title }) => title))
          .map(ruleName),
      ),
    );
    for (const rule of source.module.rules ?? []) {
      const notes = scoped(rule.annotations, ['rule', 'document']);
      const name = ruleName(rule);
      if (!documents.has(name) && !notes.some(({ title }) => Boolean(title))) {
        found.push(missing(source, rule.location, `the rule ${name} has no title`, 'title'));
      }
      if (!ofPackage && !notes.some((one) => controlsOf(one) !== undefined)) {
        const message = `neither the rule ${name} nor its package names a control`;
        found.push(missing(source, rule.location, message, 'controls'));
      }
    }
  }
  return found;
}

function missing(
  source: Source,
  location: AstRule['location'],
  message: string,
  what: 'title' | 'controls',
): LintFinding {
  const hint =
    what === 'title'
      ? 'write `# METADATA` and `# title: …` above it'
      : 'write `# custom:` and `#   controls: ["NIST:AC-3"]` into its METADATA, or into the package’s';
  return at(source, location, { code: 'metadata', message, hint });
}

function scoped(
  annotations: readonly AstAnnotations[] | undefined,
  scopes: readonly string[],
): AstAnnotations[] {
  return (annotations ?? []).filter(({ scope }) => scopes.includes(scope));
}

function controlsOf(notes: AstAnnotations): string[] | undefined {
  const controls = notes.custom?.controls;
  return Array.isArray(controls) && controls.length > 0 ? controls.map(String) : undefined;
}

/** The controls that an answer shows are those that the rule's METADATA names. */
export function controls({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    for (const rule of source.module.rules ?? []) {
      if (!CONTRIBUTIONS.includes(ruleName(rule))) continue;
      const named = scoped(rule.annotations, ['rule', 'document']).map(controlsOf)[0];
      const given = memberOf(rule.head.key, 'controls');
      if (named === undefined || given?.type !== 'array') continue;
      const values = (given.value as AstTerm[]).map(({ value }) => String(value));
      if (values.join('\n') === named.join('\n')) continue;
      const list = `[${named.map((id) => JSON.stringify(id)).join(', ')}]`;
      found.push(
        at(source, given.location, {
          code: 'controls',
          message: 'the answer shows other controls than the rule’s METADATA names',
          hint: `write ${list}, or change the METADATA`,
          fix: replace(source, given.location, list),
        }),
      );
    }
  }
  return found;
}

function memberOf(term: AstTerm | undefined, name: string): AstTerm | undefined {
  if (term?.type !== 'object') return undefined;
  const pairs = term.value as [AstTerm, AstTerm][];
  return pairs.find(([key]) => key.value === name)?.[1];
}

/** A policy without tests, and a code that no test of its package speaks of. */
export function tests({ all, linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  const suites = all.filter(({ isTest }) => isTest);
  const reported = new Set<string>();
  for (const source of linted) {
    if (source.isTest) continue;
    const own = suites.filter((suite) => speaksOf(suite, source.package));
    if (own.length === 0) {
      if (!reported.has(source.package)) {
        found.push(
          at(source, source.module.package.location, {
            code: 'test',
            message: `no test file is about the package ${source.package}`,
            hint: `write ${source.path.replace(/\.rego$/, '_test.rego')} with rules named test_…`,
          }),
        );
      }
      reported.add(source.package);
      continue;
    }
    const text = own.map(({ content }) => content).join('\n');
    for (const rule of (source.module.rules ?? []).flatMap(branchesOf)) {
      if (rule.head.ref === undefined || !CONTRIBUTIONS.includes(ruleName(rule))) continue;
      const code = memberOf(rule.head.key, 'code');
      if (code?.type !== 'string' || mentions(text, String(code.value))) continue;
      found.push(
        at(source, code.location, {
          code: 'test',
          message: `no test speaks of the code ${String(code.value)}`,
          hint: 'write a test that gets exactly this code, and one that just misses it',
        }),
      );
    }
  }
  return found;
}

function speaksOf(suite: Source, name: string): boolean {
  if (suite.package === `${name}_test` || suite.package === name) return true;
  return (suite.module.imports ?? []).some(
    ({ path }) =>
      path.type === 'ref' &&
      (path.value as AstTerm[])
        .slice(1)
        .map(({ value }) => String(value))
        .join('.') === name,
  );
}

function mentions(text: string, code: string): boolean {
  return new RegExp(`(^|[^a-z0-9_])${code.replaceAll(/\W/g, '\\$&')}([^a-z0-9_]|$)`, 'm').test(
    text,
  );
}

/** What a rule shows must not hold what the caller passed: answers are kept in clear. */
export function leaks({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    for (const rule of source.module.rules ?? []) {
      if (!CONTRIBUTIONS.includes(ruleName(rule))) continue;
      walk(rule.head.key, (node) => {
        if (node.type !== 'ref') return;
        const [head, member] = node.value as AstTerm[];
        const secret = ['arguments', 'provenance', 'text'].includes(String(member?.value));
        if (head?.value !== 'input' || !secret) return;
        found.push(
          at(source, node.location as AstRule['location'], {
            code: 'leak',
            message: 'this copies what the caller passed into the answer, which is kept in clear',
            hint: 'say which condition failed, not the value that failed it',
          }),
        );
      });
    }
  }
  return found;
}
