// Says what a comparison found, for people and as one JSON document.
import pc from 'picocolors';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { Acceptance } from './accepted.ts';
import type { DiffResult, Flip } from './diff.ts';
import type { AnswerShown } from './flips.ts';
import { type FlipKind, WIDENING } from './judge.ts';
import type { RulePlace } from './places.ts';
import type { Side } from './side.ts';

export interface Report {
  old: Side;
  now: Side;
  count: number;
  seed: string;
  result: DiffResult;
  acceptance: Acceptance;
  /** Whether opened fields of recorded inputs may be shown. */
  showOpened: boolean;
}

const INPUT_CHARACTERS_MAX = 1500;

/** What each kind is called. */
export const kinds: Record<FlipKind, string> = {
  deny_to_allow: 'deny → allow',
  deny_to_ask: 'deny → a person may allow',
  obligation_lost: 'an obligation is lost',
  allow_to_deny: 'allow → deny',
  obligations_changed: 'other obligations',
  reason_changed: 'another reason',
  controls_changed: 'other controls',
};

/** False when a flip that widens is not accepted, or an entry of the file is of no use. */
export function isAcceptable({ refused, stale, expired }: Acceptance): boolean {
  return refused.length + stale.length + expired.length === 0;
}

/** What `--json` prints. */
export function reportJson(report: Report): JsonObject {
  const { old, now, count, seed, result, acceptance, showOpened } = report;
  const { refused, stale, expired } = acceptance;
  const reasons = new Map(acceptance.accepted.map(({ flip, entry }) => [flip.name, entry.why]));
  return {
    ok: isAcceptable(acceptance),
    ...{ old: sideJson(old), new: sideJson(now), count, seed },
    flips: result.flips.map((flip) => {
      const { opened, ...example } = flip.example;
      const input = JSON.parse((showOpened ? opened : undefined) ?? example.input) as JsonValue;
      return {
        ...flip,
        widening: WIDENING.has(flip.kind),
        accepted: reasons.get(flip.name) ?? null,
        example: { ...example, input },
      } as unknown as JsonObject;
    }),
    refused: refused.map(({ name }) => name),
    stale: stale.map(({ entry, right }) => ({ name: entry.name, right: right ?? null })),
    expired: expired.map(({ name }) => name),
    boundaries: result.boundaries as unknown as JsonValue,
    evidence: (result.evidence ?? null) as unknown as JsonValue,
  };
}

function sideJson({ label, revision, dataLabel }: Side): JsonObject {
  return { from: label, revision: revision ?? null, data: dataLabel ?? null };
}

/** The same for people: narrowing flips first, those that fail the change last, beside what to do. */
export function reportText(report: Report): string {
  const { result, acceptance } = report;
  const refused = new Set(acceptance.refused.map(({ name }) => name));
  const others = result.flips.filter(({ name }) => !refused.has(name));
  const last = result.flips.filter(({ name }) => refused.has(name));
  const lines = [...others, ...last].map((flip) => describeFlip(flip, report));
  return [...lines, describeCoverage(result), describeEnd(report)].filter(Boolean).join('\n');
}

function describeFlip(flip: Flip, { acceptance, showOpened }: Report): string {
  const { kind, name, example, generated, recorded, places } = flip;
  const accepted = acceptance.accepted.find((each) => each.flip.name === name);
  const paint = !WIDENING.has(kind) ? pc.yellow : accepted ? pc.green : pc.red;
  const counts = [
    generated > 0 && `${generated} generated`,
    recorded > 0 && `${recorded} recorded`,
  ];
  const where = example.sequence === undefined ? '' : ` (row ${example.sequence} of the evidence)`;
  const input = (showOpened ? example.opened : undefined) ?? example.input;
  const tail = input.length > INPUT_CHARACTERS_MAX ? '…' : '';
  return [
    `${paint(kinds[kind])}  ${pc.bold(name)}  ${counts.filter(Boolean).join(', ')}`,
    ...(accepted ? [`  accepted: ${plain(accepted.entry.why)}`] : []),
    ...describeAnswer('was', example.old, places.old),
    ...describeAnswer('is ', example.now, places.now),
    ...describeChanges(flip),
    ...(WIDENING.has(kind) ? [`  change: ${flip.change}`] : []),
    `  input${where}: ${plain(input.slice(0, INPUT_CHARACTERS_MAX))}${tail}`,
    '',
  ].join('\n');
}

function describeAnswer(when: string, answer: AnswerShown, places: readonly RulePlace[]): string[] {
  const { allow, rule, obligations } = answer;
  const asked = obligations.map((each) => plain(JSON.stringify(each))).join(' ');
  return [
    `  ${when} ${allow ? 'allow' : 'deny'} ${plain(rule)}${asked === '' ? '' : ` with ${asked}`}`,
    ...describePlaces('      ', places),
  ];
}

function describePlaces(indent: string, places: readonly RulePlace[]): string[] {
  return places.map(({ file, row, source, title }) =>
    pc.dim(`${indent}${plain(file)}:${row} | ${plain(source)}  ${plain(title)}`.trimEnd()),
  );
}

/** What was edited where it can matter. */
function describeChanges({ changed }: Flip): string[] {
  if (changed.old.length + changed.now.length === 0) return ['  no rule here differs: the data do'];
  return [...describePlaces('  - ', changed.old), ...describePlaces('  + ', changed.now)];
}

function describeCoverage({ boundaries, evidence }: DiffResult): string {
  const lines = boundaries.map(({ boundary, inputs, allowedOld, allowedNew, isCut }) => {
    const none = allowedOld + allowedNew === 0 ? pc.yellow('; nothing was allowed by either') : '';
    const cut = isCut ? pc.yellow('; stopped at the time limit') : '';
    const name = boundary.padEnd(13);
    return `${name}${inputs} inputs, ${allowedOld} allowed before, ${allowedNew} now${none}${cut}`;
  });
  if (evidence === undefined) return [...lines, 'evidence     none was given'].join('\n');
  const { decisions, asked, unreadable, undetermined, isCut } = evidence;
  lines.push(
    `evidence     ${decisions} decisions, ${asked} asked again, ${unreadable} of unreadable inputs` +
      (isCut ? pc.yellow('; stopped at the time limit') : ''),
  );
  for (const [why, count] of Object.entries(undetermined)) {
    lines.push(pc.yellow(`             ${count} undetermined: ${plain(why)}`));
  }
  return lines.join('\n');
}

/** What the answer rests on: it is no proof. */
function askedOf({ boundaries, evidence }: DiffResult): string {
  const inputs = boundaries.reduce((sum, each) => sum + each.inputs, 0);
  return `${inputs} generated inputs and ${evidence?.rows ?? 0} rows`;
}

function describeEnd({ acceptance, result }: Report): string {
  const { refused, stale, expired, accepted } = acceptance;
  const lines: string[] = [];
  for (const { entry, right } of stale) {
    const why =
      right === undefined
        ? 'is accepted, and no flip of this change'
        : `is accepted for another change; this one is "change":"${right}"`;
    lines.push(`${pc.red('stale')} ${plain(entry.name)} ${why}`);
  }
  for (const { name } of expired)
    lines.push(`${pc.red('expired')} the acceptance of ${name} has run out`);
  if (refused.length > 0) {
    lines.push(
      `${pc.red('not accepted')} ${refused.length} flips let through what was held before`,
    );
    lines.push('  if that is what you want, add to accepted-flips.json, each with its why:');
    lines.push(
      ...refused.map(
        ({ name, boundary, from, to, change }) =>
          `  ${JSON.stringify({ name, boundary, from, to, change, why: '' })}`,
      ),
    );
  }
  if (lines.length === 0) {
    const some = accepted.length > 0 ? `every flip that widens is accepted` : 'nothing widens';
    lines.push(`${pc.green('ok')} ${some} in ${askedOf(result)}`);
  }
  return lines.join('\n');
}

/** Policies and requests write what is shown here: nothing of it may steer a terminal. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}
