// Writes what is shown of an explanation as indented text for a terminal.
import pc from 'picocolors';
import type { RegoOutcome } from '../modules/rego.ts';
import type { Line, View } from './view.ts';

const columns = 100;
const valueLength = 100;

const marks: Record<RegoOutcome, string> = {
  true: pc.green('✓'),
  false: pc.red('✗'),
  undefined: pc.red('✗'),
  unreached: pc.dim('·'),
  unknown: pc.yellow('?'),
};

/** The verdict and the deciding rules; with `all` every rule that was evaluated. */
export function textOf(view: View, all = false): string {
  const verdict = view.allow ? pc.green('allow') : pc.red('deny');
  const lines = [`${verdict} ${view.rule}`, ...view.reasons.map((reason) => `  ${reason}`)];
  if (view.warning !== '') lines.push('', pc.yellow(view.warning));
  let hidden = 0;
  for (const { title, lines: shown, folded } of view.sections) {
    if (folded && !all) {
      hidden += shown.length;
      continue;
    }
    lines.push('', pc.bold(title), ...linesOf(shown, all));
  }
  if (hidden > 0) lines.push('', pc.dim('--all shows every rule that was evaluated'));
  return lines.join('\n');
}

/** Lines with their children indented below them; folded ones alone unless `all`. */
export function linesOf(lines: readonly Line[], all: boolean, depth = 1): string[] {
  return lines.flatMap((line) => {
    const children = line.folded && !all ? [] : linesOf(line.children, all, depth + 1);
    // What a rule stopped at is said by its conditions where they are shown.
    const note = children.length > 0 ? line.note.replace(/(, )?not true: .*$/s, '') : line.note;
    return [head(line, note, depth), ...valueLines(line, depth), ...children];
  });
}

function head(line: Line, note: string, depth: number): string {
  const isRule = line.kind === 'rule';
  const text = line.outcome === 'unreached' ? pc.dim(line.text) : line.text;
  const parts = [
    isRule ? pc.bold(text) : text,
    isRule ? pc.dim([line.name, line.place].filter((part) => part !== '').join(', ')) : '',
    note === '' ? '' : pc.dim(`(${note})`),
  ];
  return `${'  '.repeat(depth)}${marks[line.outcome]} ${parts.filter((part) => part !== '').join(' ')}`;
}

/** The values on one line where they fit, else one a line. */
function valueLines({ values, outcome }: Line, depth: number): string[] {
  if (outcome === 'unreached' || values.length === 0) return [];
  const indent = '  '.repeat(depth + 2);
  const each = values.map(([name, value]) => {
    const verb = value === 'undefined' || value === 'unknown' ? 'is' : '=';
    return `${short(name)} ${verb} ${short(value)}`;
  });
  const together = each.join(', ');
  const shown = together.length + indent.length <= columns ? [together] : each;
  return shown.map((text) => `${indent}${pc.cyan(text)}`);
}

function short(text: string): string {
  return text.length > valueLength ? `${text.slice(0, valueLength - 1)}…` : text;
}
