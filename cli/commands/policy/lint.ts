// `platform policy lint`: what compiles and is still wrong, slow, or not to be audited.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pc from 'picocolors';
import { RegoCompiler, type RegoFile } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import type { LintFinding } from '../../policy/lint/finding.ts';
import { fixed, lint } from '../../policy/lint/lint.ts';
import { RULES } from '../../policy/lint/rules.ts';
import { suggest } from '../../suggest.ts';
import { describeFindings } from './findings.ts';
import {
  FOLDERS_HELP,
  FOLDERS_MAX,
  isBundle,
  policyFolders,
  policySources,
  print,
  printJson,
  replacesOwn,
} from './sources.ts';

const help = `Usage
  platform policy lint [FOLDER|BUNDLE...] [--fix] [--rule R...] [options]

Finds what compiles and is still wrong, slow, or not to be audited. Each finding has its file, line and
column, the line itself, why, and what to do. Of given folders only their own files are linted.

Rules (docs/policy-lint.md says why of each)
${RULES.map(({ id, finds }) => `  ${id.padEnd(14)}${finds.replaceAll('`', '')}`).join('\n')}

To keep a finding: \`# lint: ignore RULE because …\` in that line or the line before.

${FOLDERS_HELP}

Options
  --fix       change what is safe to change, then say what is left
  --rule R    only this rule; may be given again
  --json      print {ok, files, findings, fixed}

Exit codes
  0 nothing found; 1 there are findings; 2 wrong command line

Examples
  platform policy lint
  platform policy lint my-policies --fix
  platform policy lint my-policies --rule scan --rule spiffe-prefix
  platform policy lint policy.tar.gz --json`;

/** With `--json` prints `{ok, files, findings, fixed}`. */
export const lintVerb: Command = {
  name: 'lint',
  summary: 'what compiles and is still wrong, slow or not to be audited, with fixes',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        fix: { type: 'boolean', default: false },
        rule: { type: 'string', multiple: true },
      },
      FOLDERS_MAX,
    );
    const rules = values.rule?.map(known);
    if (values.fix === true && positionals.some(isBundle)) {
      throw new UsageError('--fix changes folders of sources, and no bundle');
    }
    // A bundle has no tests in it, so what they are about cannot be said.
    const asked = rules ?? RULES.map(({ id }) => id);
    const fitting = positionals.some(isBundle) ? asked.filter((id) => id !== 'test') : asked;
    return run(positionals, {
      json: values.json === true,
      fix: values.fix === true,
      rules: fitting,
    });
  },
};

function known(rule: string): string {
  const ids = RULES.map(({ id }) => id);
  if (ids.includes(rule)) return rule;
  const meant = suggest(rule, ids);
  const hint = meant === undefined ? `there are ${ids.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`lint has no rule ${rule}; ${hint}`);
}

interface Flags {
  json: boolean;
  fix: boolean;
  rules: string[];
}

async function run(folders: string[], { json, fix, rules }: Flags): Promise<number> {
  const compiler = await RegoCompiler.load();
  const whole = folders.length === 0 || folders.some(replacesOwn);
  const isLinted = (path: string) => whole || path.startsWith('operator/');
  let found = lint(compiler, await policySources(folders), isLinted, rules);
  const changed: string[] = [];
  // A fix may make room for another, such as of two on one line; each run has fewer.
  for (let round = 0; fix && round < 8; round++) {
    const files = fixed((await policySources(folders)).files, found.findings);
    const written = await writeFixed(folders, files);
    if (written.length === 0) break;
    changed.push(...written);
    found = lint(compiler, await policySources(folders), isLinted, rules);
  }
  const findings = found.findings.map((finding) => shown(folders, finding));
  const ok = findings.length === 0;
  const names = [...new Set(changed)].sort();
  if (json) printJson({ ok, files: found.files, findings, fixed: names });
  else {
    for (const name of names) print(`${pc.green('fixed')} ${name}`);
    const none = `${pc.green('ok')} ${found.files} files, nothing found`;
    print(ok ? none : describeFindings(findings).replace(/error(s?)$/, 'finding$1'));
  }
  return ok ? 0 : EXIT_FAILED;
}

/** A finding as it is printed: where its file is, and whether `--fix` can help. */
function shown(
  folders: readonly string[],
  { fix, ...finding }: LintFinding,
): LintFinding & { fixable: boolean } {
  const file = finding.file === undefined ? undefined : placeOf(folders, finding.file);
  const hint = fix === undefined ? finding.hint : `${finding.hint ?? ''} (--fix does it)`;
  return { ...finding, file: file ?? finding.file, hint, fixable: fix !== undefined };
}

/** Where a source is on disk; undefined for one that is in a bundle or was generated. */
function placeOf(folders: readonly string[], path: string): string | undefined {
  const [own, ...operators] = policyFolders(folders.filter((folder) => !isBundle(folder)));
  const [first, folder, ...rest] = path.split('/');
  const candidates =
    first === 'operator'
      ? operators.filter((one) => basename(one) === folder).map((one) => join(one, rest.join('/')))
      : [join(own!, path)];
  return candidates.find((candidate) => existsSync(candidate));
}

/** Writes the files that are on disk as they were read, formatted as the formatter has them. */
async function writeFixed(
  folders: readonly string[],
  files: readonly RegoFile[],
): Promise<string[]> {
  const compiler = await RegoCompiler.load();
  const written: string[] = [];
  for (const file of files) {
    const place = placeOf(folders, file.path);
    if (place === undefined) continue;
    const formatted = compiler.format([file]);
    if (!formatted.ok) continue;
    const content = formatted.files[0]?.content ?? file.content;
    if (content === (await readFile(place, 'utf8'))) continue;
    await writeFile(place, content);
    written.push(place);
  }
  return written;
}
