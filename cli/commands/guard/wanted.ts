// What the verbs of `platform guard` have in common: which module scans, with which scanners, in which direction.
import { readFileSync } from 'node:fs';
import { PlatformError } from '../../../runtime/errors.ts';
import { unknownScanners } from '../../../runtime/guard/pipeline.ts';
import {
  scanners as builtScanners,
  Guard,
  type GuardDirection,
  type ScannerName,
} from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { RuleError } from '../../../wasm/guard/compiler/index.ts';
import { compileGuard } from '../../../wasm/guard/compiler/link.ts';
import type { RuleSource } from '../../../wasm/guard/compiler/rules.ts';
import { UsageError } from '../../options.ts';
import { suggest } from '../../suggest.ts';

/** Rule files of users; throws a UsageError for one that cannot be read. */
export function ruleSources(files: readonly string[] = []): RuleSource[] {
  return files.map((file) => {
    try {
      return { file, text: readFileSync(file, 'utf8') };
    } catch {
      throw new UsageError(`the rules in ${file} cannot be read`);
    }
  });
}

/** The guard with users' rules beside its own. Throws `policy_invalid` for the first mistake in one of them. */
export function guardWith(rules: readonly RuleSource[]): Guard {
  if (rules.length === 0) return Guard.create(moduleBytes('guard'));
  try {
    return Guard.create(compileGuard(rules));
  } catch (cause) {
    if (!(cause instanceof RuleError)) throw cause;
    throw new PlatformError('configuration_invalid', cause.message, { cause });
  }
}

/** `input` where nothing is said. */
export function directionOf(text = 'input'): GuardDirection {
  if (text === 'input' || text === 'output') return text;
  throw new UsageError(`--direction is input or output, not "${text}"`);
}

/** The names of a comma list, or every scanner with `all`; those that serve the direction alone count. */
export function scannersOf(text: string, direction: GuardDirection): ScannerName[] {
  const serving = builtScanners.filter(({ directions }) => directions.includes(direction));
  const names = serving.map(({ name }) => name);
  // These judge a text against something that is not given here.
  const alone = names.filter((name) => !needsMore.has(name));
  if (text === 'all') return alone;
  const wanted = [...new Set(text.split(',').map((name) => name.trim()))];
  const [unknown] = unknownScanners(wanted);
  if (unknown !== undefined) {
    const meant = suggest(unknown, alone);
    const hint = meant === undefined ? `there are ${alone.join(', ')}` : `did you mean ${meant}?`;
    throw new UsageError(`there is no scanner "${unknown}"; ${hint}`);
  }
  const more = wanted.find((name) => !alone.includes(name as ScannerName));
  if (more === undefined) return wanted as ScannerName[];
  throw new UsageError(`${more} cannot judge a text alone in the direction ${direction}`);
}

const needsMore: ReadonlySet<ScannerName> = new Set(['Relevance', 'TokenLimit', 'TopicBoundary']);
