// The texts to be scanned: files, folders, standard input, or what is staged for the next commit.
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { guardTextBytesMax } from '../../runtime/modules/guard.ts';
import { UsageError } from '../options.ts';

/** One thing to be scanned; its bytes are read when its turn comes. */
export interface Source {
  /** As it is shown: relative to the working folder, with `/`. */
  name: string;
  read(): Buffer;
  /** Whether one of these lines counts; every one does where it is left out. */
  isCounted?(first: number, last: number): boolean;
}

/** What of a source can be scanned. */
export type Content = { text: string } | { skipped: 'binary' } | { refused: string };

const SKIPPED_FOLDERS = new Set(['.git', 'node_modules', '.hg', '.svn']);
const STDIN = '-';
const GIT_BYTES_MAX = 64 * 1024 * 1024;

/** The files that the paths name, those of folders in the order of their names; symbolic links are not followed. */
export function pathSources(paths: readonly string[]): Source[] {
  return paths.flatMap((path) =>
    path === STDIN
      ? [{ name: STDIN, read: () => readFileSync(0) }]
      : filesBelow(path).map((file) => ({ name: shown(file), read: () => readFileSync(file) })),
  );
}

function filesBelow(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`there is no file ${path}`);
  if (!stat.isDirectory()) return stat.isFile() ? [path] : [];
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory() && SKIPPED_FOLDERS.has(entry.name)) return [];
      if (!entry.isDirectory() && !entry.isFile()) return [];
      return filesBelow(join(path, entry.name));
    });
}

function shown(path: string): string {
  const name = relative(process.cwd(), path);
  return (name.startsWith('..') ? path : name).split(sep).join('/');
}

/** What `git commit` would record now below this folder, of the lines that it would add. */
export function stagedSources(): Source[] {
  const names = git(['diff', '--cached', '--name-only', '-z', '--diff-filter=ACMRT', '--relative'])
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
  return names.map((name) => {
    let added: [number, number][] | undefined;
    return {
      name,
      read: () => git(['show', `:./${name}`]),
      // A key whose first line stays, and whose others come, comes.
      isCounted(first, last) {
        added ??= addedLines(name);
        return added.some(([from, count]) => last >= from && first < from + count);
      },
    };
  });
}

/** First line and number of lines of each hunk. */
function addedLines(name: string): [number, number][] {
  // As text whatever attributes say: a file without hunks would have no line that counts.
  const options = ['--cached', '-U0', '--text', '--no-color', '--no-ext-diff', '--no-textconv'];
  const diff = git(['diff', ...options, '--', name]).toString('latin1');
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, first, count = '1']) => [
    Number(first),
    Number(count),
  ]);
}

function git(argv: string[]): Buffer {
  try {
    return execFileSync('git', ['--literal-pathspecs', ...argv], {
      maxBuffer: GIT_BYTES_MAX,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const words = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    throw new UsageError(`git ${argv[0]} failed: ${words.split('\n')[0]}`);
  }
}

/** The text of a file in UTF-8, in UTF-16 with its mark, or, where it is neither, byte by byte. */
export function contentOf(bytes: Buffer): Content {
  if (bytes.length > guardTextBytesMax) {
    return {
      refused: `it has ${bytes.length} bytes, and at most ${guardTextBytesMax} are scanned`,
    };
  }
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: wellFormed(bytes.toString('utf16le', 2)) };
  if (bytes.includes(0)) return { skipped: 'binary' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    // Credentials are ASCII in any of the encodings that are left.
    const text = bytes.toString('latin1');
    const length = Buffer.byteLength(text);
    return length <= guardTextBytesMax
      ? { text }
      : { refused: 'it is too long once it is decoded' };
  }
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}
