// Judges TopicBoundary and Relevance on texts that they were not built on, beside a list of keywords:
// `node scripts/guard/relevance-eval.ts [--json]`.

import { ModuleInstance } from '../../runtime/modules/instantiate.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import {
  labelled,
  newsgroupTopics,
  type Pair,
  posts,
  reutersTopics,
  type Topic,
  workedExamples,
} from './relevance-sets.ts';

/** What was found on one set; shares are between 0 and 1. */
export interface RelevanceResult {
  scanner: 'TopicBoundary' | 'Relevance';
  kind: 'forbidden_topic' | 'off_topic' | 'irrelevant';
  set: string;
  /** Texts that should be flagged, and texts that should not. */
  positives: number;
  negatives: number;
  /** The share of positives above the score that one in a hundred negatives is above. */
  recall: number;
  /** The same for the keyword list. */
  baselineRecall: number;
  /** What the scanner's default threshold flags. */
  flaggedPositives: number;
  flaggedNegatives: number;
}

const THRESHOLD = 500;
const FALSE_POSITIVES = 0.01;
/** Other prompts that each response is held against. */
const OTHERS = 5;
const guard = new ModuleInstance('guard', moduleBytes('guard'), ['scan']);

function score(scanner: string, request: object): number {
  const bytes = guard.run('scan', Buffer.from(JSON.stringify({ ...request, scanners: [scanner] })));
  return JSON.parse(Buffer.from(bytes).toString()).scores[scanner];
}

/** The share of positives above the score that a hundredth of the negatives is above. */
export function recallAt(positives: readonly number[], negatives: readonly number[]): number {
  const sorted = [...negatives].sort((a, b) => b - a);
  const limit = sorted[Math.floor(sorted.length * FALSE_POSITIVES)] ?? 0;
  return share(positives, (value) => value > limit);
}

function share(values: readonly number[], isCounted: (value: number) => boolean): number {
  return values.length === 0 ? 0 : values.filter(isCounted).length / values.length;
}

/** The words of a text for the keyword list: of four letters or more, as they are spelt. */
function keywords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}/gu));
}

function shared(text: ReadonlySet<string>, list: ReadonlySet<string>): number {
  let count = 0;
  for (const word of list) if (text.has(word)) count++;
  return count;
}

interface Scored {
  score: number;
  baseline: number;
}

/** Recall is the mean over the groups, each with the score that one in a hundred of its own negatives is above. */
function result(
  of: Pick<RelevanceResult, 'scanner' | 'kind' | 'set'>,
  groups: readonly { positives: Scored[]; negatives: Scored[] }[],
): RelevanceResult {
  const mean = (value: (group: (typeof groups)[number]) => number): number =>
    groups.reduce((sum, group) => sum + value(group), 0) / groups.length;
  const recall = (by: 'score' | 'baseline') =>
    mean(({ positives, negatives }) =>
      recallAt(
        positives.map((each) => each[by]),
        negatives.map((each) => each[by]),
      ),
    );
  const flagged = (side: 'positives' | 'negatives') =>
    mean((group) =>
      share(
        group[side].map(({ score }) => score),
        (value) => value >= THRESHOLD,
      ),
    );
  return {
    ...of,
    positives: groups.reduce((sum, { positives }) => sum + positives.length, 0),
    negatives: groups.reduce((sum, { negatives }) => sum + negatives.length, 0),
    recall: rounded(recall('score')),
    baselineRecall: rounded(recall('baseline')),
    flaggedPositives: rounded(flagged('positives')),
    flaggedNegatives: rounded(flagged('negatives')),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Each topic in turn is the forbidden one, and the only allowed one. */
export function judgeTopics(
  table: string,
  topics: readonly Topic[],
  each: number,
): RelevanceResult[] {
  const texts = labelled(table, each).map((text) => ({ ...text, words: keywords(text.text) }));
  const judged = topics.map(({ label, description, near }) => {
    const list = keywords(description);
    const about = texts.filter((text) => text.label === label);
    const other = texts.filter((text) => text.label !== label && !near.includes(text.label));
    const scored = (kind: 'forbidden' | 'allowed') => (text: (typeof texts)[number]) => ({
      score: score('TopicBoundary', {
        ...{ direction: 'input', text: text.text, topics: { [kind]: [description] } },
      }),
      baseline: shared(text.words, list) * (kind === 'forbidden' ? 1 : -1),
    });
    return {
      forbidden: {
        positives: about.map(scored('forbidden')),
        negatives: other.map(scored('forbidden')),
      },
      allowed: { positives: other.map(scored('allowed')), negatives: about.map(scored('allowed')) },
    };
  });
  const of = { scanner: 'TopicBoundary' as const, set: table };
  return [
    result(
      { ...of, kind: 'forbidden_topic' },
      judged.map(({ forbidden }) => forbidden),
    ),
    result(
      { ...of, kind: 'off_topic' },
      judged.map(({ allowed }) => allowed),
    ),
  ];
}

/** Each response with its own prompt, and with prompts of other groups. */
export function judgePairs(set: string, pairs: readonly Pair[]): RelevanceResult {
  const scored = (prompt: string, response: string): Scored => ({
    score: score('Relevance', { direction: 'output', text: response, prompt }),
    baseline: -shared(keywords(response), keywords(prompt)),
  });
  const negatives = pairs.map(({ prompt, response }) => scored(prompt, response));
  const positives = pairs.flatMap(({ group, prompt }, i) =>
    Array.from({ length: OTHERS }, (_, other) => pairs[(i + (other + 1) * 37) % pairs.length]!)
      .filter((pair) => pair.group !== group)
      .map(({ response }) => scored(prompt, response)),
  );
  return result({ scanner: 'Relevance', kind: 'irrelevant', set }, [{ positives, negatives }]);
}

/** All sets that nothing was built on. The halves in the scanners were chosen on `20newsgroups-train`. */
export function evaluateRelevance(): RelevanceResult[] {
  return [
    ...judgeTopics('20newsgroups-test', newsgroupTopics, 5),
    ...judgeTopics('reuters-r8-test', reutersTopics, 3),
    judgePairs('mmlu-worked-examples', workedExamples()),
    judgePairs('20newsgroups-test', posts('20newsgroups-test', 3)),
  ];
}

if (import.meta.main) {
  const results = process.argv.includes('--calibration')
    ? [
        ...judgeTopics('20newsgroups-train', newsgroupTopics, 8),
        judgePairs('20newsgroups-train', posts('20newsgroups-train', 4)),
      ]
    : evaluateRelevance();
  if (process.argv.includes('--json')) console.log(JSON.stringify(results, null, 2));
  else console.table(results);
}
