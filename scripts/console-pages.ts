// Runs the commands that documentation shows in its `console` blocks, and writes what they print below them.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { main } from '../cli/platform.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Every page with blocks that are run, as paths from the repository's root. */
export function consolePages(): string[] {
  return globSync(['examples/policies/*/README.md', 'docs/*.md'], { cwd: root })
    .filter((page) => readFileSync(join(root, page), 'utf8').includes('\n```console\n'))
    .sort();
}

/**
 * The page with the output of each `$ platform …` line of its `console` blocks as it is now. A command
 * runs at the repository's root; one that exits with another code than 0 has `# exit N` below its output.
 */
export async function rewritten(page: string): Promise<string> {
  const out: string[] = [];
  let isRun = false;
  let isOutput = false;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    if (line.startsWith('```')) {
      isRun = line === '```console';
      isOutput = false;
    }
    if (isRun && line.startsWith('$ platform ')) {
      out.push(line, ...(await outputOf(words(line.slice('$ platform '.length)))));
      isOutput = true;
    } else if (!isOutput) out.push(line);
  }
  return out.join('\n');
}

/** Splits as a shell does, as far as quotes go. */
function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

async function outputOf(argv: string[]): Promise<string[]> {
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
  const folder = process.cwd();
  process.chdir(root);
  try {
    const code = await main(argv);
    const lines = stripVTControlCharacters(written.join('')).trimEnd().split('\n');
    return code === 0 ? lines : [...lines, `# exit ${code}`];
  } finally {
    process.stdout.write = write;
    process.chdir(folder);
  }
}

if (import.meta.main) {
  for (const page of consolePages()) {
    writeFileSync(join(root, page), await rewritten(page));
    console.log(`ran ${relative('.', join(root, page))}`);
  }
}
