// Judges the guard's shipped module on texts it was not built on and writes docs/guard-eval.md: `npm run eval:guard [-- --json]`.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { Guard } from '../../runtime/modules/guard.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { evaluateScanner, type ScannerResult, scoreOf } from './eval-scanner.ts';
import { textsOf } from './extract.ts';
import { share } from './metrics.ts';
import { injectionPeers, toxicityPeers } from './peers.ts';
import { plotCurves } from './plot.ts';
import { evaluateRelevance } from './relevance-eval.ts';
import { percent, type ReportPart, scannerPart, setsPart, table } from './report.ts';
import { injectionSets } from './sets-injection.ts';
import { toxicitySets } from './sets-toxicity.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const INJECTION_THRESHOLD = 500;
const TOXICITY_THRESHOLD = 700;
const INJECTION_LIMITS = [
  'Not caught: tasks smuggled into data in no wording of an attack, paraphrases that keep to the tone of',
  'an ordinary request, attacks staged over several turns or put together from harmless pieces, and',
  'languages that neither rules nor training texts know. Provenance and policy are the answer there.',
  '',
];
const TOXICITY_LIMITS = [
  'The set counts as insulting what is aimed at another commenter; many of its other comments are obscene',
  'about somebody else, which is what is wrongly flagged most. Irony, and abuse in other languages than',
  'English, mostly pass.',
  '',
];

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The share of our own hard harmless prompts that is flagged, by list. */
function hardBenign(guard: Guard): string[] {
  const rows = globSync('examples/guard/hard-benign*.yaml', { cwd: root })
    .sort()
    .flatMap((file) => {
      const lists = parse(readFileSync(join(root, file), 'utf8')) as Record<string, unknown>;
      return Object.entries(lists).map(([name, list]) => {
        const texts = stringsIn(list);
        const scores = texts.map((text) => scoreOf(guard, 'PromptInjection', text));
        const flagged = share(scores, (score) => score >= INJECTION_THRESHOLD);
        return [`\`${file}\`, ${name}`, String(texts.length), percent(flagged)];
      });
    });
  if (rows.length === 0) return [];
  return [
    'Hard harmless prompts of our own: role play, questions about security, quoted attacks. The rules',
    'were tuned with the first list; the one held out was written apart.',
    '',
    ...table(['list', 'texts', 'flagged as shipped'], rows),
  ];
}

function relevancePart(): ReportPart {
  const results = evaluateRelevance();
  const rows = results.map((result) => [
    ...[result.scanner, result.kind, result.set],
    ...[`${result.positives} / ${result.negatives}`, percent(result.recall)],
    ...[percent(result.baselineRecall), percent(result.flaggedPositives)],
    percent(result.flaggedNegatives),
  ]);
  const head = ['scanner', 'kind', 'set', 'to be flagged / not', 'recall at 1 %', 'keyword list'];
  return {
    title: 'Relevance and TopicBoundary',
    lines: table([...head, 'flagged as shipped', 'wrongly'], rows),
    data: results,
  };
}

/** The part about secrets, from scripts/guard/secrets-eval.ts once that is there. */
async function secretsParts(): Promise<ReportPart[]> {
  const file = new URL('secrets-eval.ts', import.meta.url);
  if (!existsSync(file)) return [];
  const { secretsPart } = (await import(file.href)) as { secretsPart(): Promise<ReportPart> };
  return [await secretsPart()];
}

function draw(result: ScannerResult): void {
  const curves = [result.ours, ...result.peers].map(({ name, curve }) => ({ name, points: curve }));
  const title =
    'PromptInjection: precision and recall on held-out sets, both classes counted alike';
  writeFileSync(join(root, 'docs', 'guard-eval.svg'), plotCurves(title, curves));
}

async function main(): Promise<void> {
  const guard = Guard.create(moduleBytes('guard'));
  const injection = await evaluateScanner(
    ...([guard, 'PromptInjection', INJECTION_THRESHOLD] as const),
    ...([injectionSets, injectionPeers] as const),
  );
  const toxicity = await evaluateScanner(
    ...([guard, 'Toxicity', TOXICITY_THRESHOLD] as const),
    ...([toxicitySets, toxicityPeers] as const),
  );
  const sets = [...injectionSets, ...toxicitySets];
  const sizes = new Map(sets.map((set) => [set, textsOf(set).length]));
  const picture = ['![Precision and recall of PromptInjection](guard-eval.svg)', ''];
  const parts: ReportPart[] = [
    scannerPart(injection, [...INJECTION_LIMITS, ...hardBenign(guard), ...picture]),
    scannerPart(toxicity, TOXICITY_LIMITS),
    relevancePart(),
    ...(await secretsParts()),
    setsPart(sets, sizes),
  ];
  draw(injection);
  const lines = parts.flatMap(({ title, lines: part }) => [`## ${title}`, '', ...part]);
  const intro = ['# What the guard finds', '', 'Written by `npm run eval:guard`.', ''];
  writeFileSync(join(root, 'docs', 'guard-eval.md'), `${[...intro, ...lines].join('\n').trim()}\n`);
  const data = Object.fromEntries(parts.map(({ title, data: part }) => [title, part]));
  console.log(process.argv.includes('--json') ? JSON.stringify(data, null, 2) : lines.join('\n'));
}

await main();
