// `platform guard scan`: what must not be in files, for people and for hooks that run before a commit.
import { createRequire } from 'node:module';
import pc from 'picocolors';
import type { Command } from '../../command.ts';
import { EXIT_USAGE, reportFailure } from '../../failure.ts';
import { ALLOW_COMMENT, ALLOWED_FILE, readAllowed, writeAllowed } from '../../guard/allowed.ts';
import { sarifOf } from '../../guard/sarif.ts';
import { type FileFinding, type ScanReport, scanSources } from '../../guard/scan-files.ts';
import { pathSources, stagedSources } from '../../guard/sources.ts';
import { ADVICE, titlesOf } from '../../guard/titles.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { directionOf, guardWith, ruleSources, scannersOf } from './wanted.ts';

const EXIT_FOUND = 1;
const FILES_MAX = 100_000;
/** From so many files on, a terminal is told how far it is. */
const PROGRESS_FILES = 50;
const formats = ['text', 'json', 'sarif'] as const;
type Format = (typeof formats)[number];

const help = `Usage
  platform guard scan FILE|FOLDER|-... [options]
  platform guard scan --staged [options]

Scans files, what is below folders (but .git and node_modules), or standard input. Says where something
was found, what kind it is and what to do; never the value, only its format's fixed beginning. Binary files
are skipped; a file over 4 MiB is refused, since it would be scanned in part.

To keep a finding: ${ALLOW_COMMENT} in its line, or its fingerprint in ${ALLOWED_FILE}, which
--write-baseline fills. "paths" in that file are globs of files that are not scanned.

Options
  --staged            what the next commit would record below this folder, of
                      the lines that it adds
  --scanners LIST     names with commas between them, or all; default Secrets,InvisibleText
  --direction D       input (to a model or a tool) or output (from one); default input
  --rules FILE        rules of your own beside the platform's; may be given again
  --config FILE       instead of ${ALLOWED_FILE} here
  --write-baseline    let all that is found stay, and exit with 0
  --format F          ${formats.join(', ')}; default text
  --json              the same as --format json

Exit codes
  0 nothing found, 1 something found, 2 wrong command line, or something could not be scanned

Examples
  platform guard scan .
  platform guard scan --staged
  git diff | platform guard scan -
  platform guard scan src --scanners Secrets,PII --format sarif > guard.sarif
  platform guard scan . --rules my-rules.yaml --json`;

const options = {
  staged: { type: 'boolean' },
  scanners: { type: 'string' },
  direction: { type: 'string' },
  rules: { type: 'string', multiple: true },
  config: { type: 'string' },
  'write-baseline': { type: 'boolean' },
  format: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const scanVerb: Command = {
  name: 'scan',
  summary: 'find secrets, hidden text and more in files, or in what is staged',
  help,
  async run(argv) {
    const json = argv.includes('--json');
    try {
      return scan(argv);
    } catch (error) {
      // 1 says that something was found, so that a failure has to say something else.
      reportFailure(error, 'guard scan', json);
      return EXIT_USAGE;
    }
  },
};

function scan(argv: string[]): number {
  const { values, positionals } = parseOptions(argv, options, FILES_MAX);
  const format = formatOf(values.json ? 'json' : values.format);
  if (values.staged === true && positionals.length > 0) {
    throw new UsageError('--staged scans what is staged, and no files besides');
  }
  if (values.staged !== true && positionals.length === 0) {
    throw new UsageError('which files? platform guard scan FILE... or --staged');
  }
  const direction = directionOf(values.direction);
  const scanners = scannersOf(values.scanners ?? 'Secrets,InvisibleText', direction);
  const rules = ruleSources(values.rules);
  const config = values.config ?? ALLOWED_FILE;
  const sources = values.staged === true ? stagedSources() : pathSources(positionals);
  const report = scanSources(sources, {
    guard: guardWith(rules),
    options: { direction, scanners },
    titles: titlesOf(rules),
    allowed: readAllowed(config),
    ...(isWatched(sources.length) ? { onProgress: (done) => progress(done, sources.length) } : {}),
  });
  if (isWatched(sources.length)) process.stderr.write('\r\u001b[K');
  const isKept = values['write-baseline'] === true;
  if (isKept) keep(config, report);
  print(report, format);
  if (report.refused.length > 0) return EXIT_USAGE;
  const isFound = report.findings.length > 0 || report.truncated.length > 0;
  return isFound ? EXIT_FOUND : 0;
}

/** What is kept is found no more; more than the list holds is not kept. */
function keep(config: string, report: ScanReport): void {
  const entries = report.findings.map(({ fingerprint, file, kind }) => ({
    ...{ fingerprint, path: file, kind },
  }));
  const added = writeAllowed(config, entries);
  report.allowed += report.findings.length;
  report.findings = [];
  process.stderr.write(`${added} findings written to ${config}\n`);
}

function formatOf(text = 'text'): Format {
  const format = formats.find((name) => name === text);
  if (format !== undefined) return format;
  throw new UsageError(`--format is one of ${formats.join(', ')}, not "${text}"`);
}

function isWatched(files: number): boolean {
  return process.stderr.isTTY === true && files >= PROGRESS_FILES;
}

function progress(done: number, files: number): void {
  if (done % 10 === 0) process.stderr.write(`\r${done} of ${files} files`);
}

function print(report: ScanReport, format: Format): void {
  const { findings, refused, truncated } = report;
  if (format === 'sarif') write(JSON.stringify(sarifOf(report, version()), null, 2));
  else if (format === 'json') {
    write(
      JSON.stringify({ ok: findings.length + refused.length + truncated.length === 0, ...report }),
    );
  } else write(textOf(report));
}

function version(): string {
  const load = createRequire(import.meta.url);
  return (load('../../../package.json') as { version: string }).version;
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

function textOf(report: ScanReport): string {
  const { findings, files, skipped, allowed, refused, truncated } = report;
  const lines = findings.map(findingText);
  for (const { file, message } of refused)
    lines.push(`${pc.red('not scanned')} ${printable(file)}: ${printable(message)}`);
  for (const file of truncated) lines.push(`${printable(file)}: more was found than is listed`);
  const left = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(allowed > 0 ? [`${allowed} allowed`] : []),
  ];
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  const head = findings.length === 0 ? pc.green('nothing found') : pc.red(count);
  lines.push([`${head} in ${files} ${files === 1 ? 'file' : 'files'}`, ...left].join(', '));
  return lines.join('\n');
}

/** A file's name may hold what a terminal obeys. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\ufffd');
}

function findingText(finding: FileFinding): string {
  const { file, line, column, kind, preview, title, scanner, fingerprint } = finding;
  return [
    `${pc.bold(`${printable(file)}:${line}:${column}`)}  ${kind}  ${preview}  ${title}`,
    `    ${ADVICE[scanner]}`,
    pc.dim(`    or keep it: ${ALLOW_COMMENT} in the line, or ${fingerprint}`),
  ].join('\n');
}
