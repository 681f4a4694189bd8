// What an agent's source says of itself: the first thing `platform run` reads.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { analysePython } from './python.ts';
import { analyseTypeScript } from './typescript.ts';

/** Facts found in an agent's source; what is computed at run time is not found, and is absent. */
export interface AgentSource {
  language: 'python' | 'typescript';
  name?: string;
  tenant?: string;
  /** As declared, e.g. `orders` or `orders:read`. */
  resources: string[];
  /** Roles beside `main`, in order of appearance. */
  roles: string[];
  /** Whether child processes may have roles of their own. */
  subprocessSupport: boolean;
  framework: string;
}

const sourceBytesMax = 1024 * 1024;
const languages: Record<string, AgentSource['language']> = {
  '.py': 'python',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.js': 'typescript',
  '.mjs': 'typescript',
};

/**
 * Reads the agent declaration in `file` without running it.
 * Throws `configuration_invalid` for another kind of file, one that cannot be read or is over
 * 1 MiB, and one with a syntax error (`data`: file, line, column).
 */
export async function analyseAgent(file: string): Promise<AgentSource> {
  const language = languages[extname(file).toLowerCase()];
  if (language === undefined) {
    throw new PlatformError('configuration_invalid', `${file} is neither Python nor TypeScript`, {
      hint: 'name a .py, .ts or .js file',
    });
  }
  let source: Buffer;
  try {
    source = await readFile(file);
  } catch (cause) {
    throw new PlatformError('configuration_invalid', `cannot read the agent ${file}`, { cause });
  }
  if (source.length > sourceBytesMax) {
    throw new PlatformError('configuration_invalid', `${file} is over ${sourceBytesMax} bytes`);
  }
  return language === 'python'
    ? analysePython(file, source)
    : analyseTypeScript(file, source.toString('utf8'));
}
