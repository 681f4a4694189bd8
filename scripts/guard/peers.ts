// The detectors that ours is held against: lists of keywords, and those whose rules or weights come inside a package.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { dataFolder, fetchPackage, packageNamed } from './fetch-data.ts';

/** Scores a list of texts; higher is worse. */
export interface Peer {
  name: string;
  /** What it is, for the report. */
  about: string;
  scores(texts: readonly string[]): Promise<number[]>;
}

const script = fileURLToPath(new URL('peers.py', import.meta.url));

function python(name: string, packages: readonly string[], interpreter: () => string) {
  return async (texts: readonly string[]): Promise<number[]> => {
    const path = packages.map((entry) => fetchPackage(packageNamed(entry))).join(':');
    const output = execFileSync(interpreter(), [script, name], {
      input: JSON.stringify(texts),
      env: { ...process.env, PYTHONPATH: path },
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return JSON.parse(output.toString());
  };
}

/** An interpreter with what alt-profanity-check needs, made at first use. */
function withLearning(): string {
  const folder = join(dataFolder, 'venv-scikit-learn-1.9.1');
  const interpreter = join(folder, 'bin', 'python');
  if (!existsSync(interpreter)) {
    execFileSync('python3', ['-m', 'venv', folder]);
    const wanted = ['scikit-learn==1.9.1', 'joblib==1.6.0'];
    execFileSync(interpreter, ['-m', 'pip', 'install', '-q', ...wanted], { stdio: 'ignore' });
  }
  return interpreter;
}

/** Counts the words of a list in a text. */
function keywords(list: readonly string[]) {
  const pattern = new RegExp(`(?<![a-z])(?:${list.join('|')})`, 'gi');
  return async (texts: readonly string[]) =>
    texts.map((text) => (text.match(pattern) ?? []).length);
}

async function fromPackage<T>(name: string, file: string): Promise<T> {
  const folder = fetchPackage(packageNamed(name));
  return (await import(pathToFileURL(join(folder, file)).href)) as T;
}

interface Guardrail {
  checkInjection(text: string): Promise<{ confidence: number }>;
  checkJailbreak(text: string): Promise<{ confidence: number }>;
}

interface Vard {
  default: { safe(text: string): { threats?: { severity: number }[] } };
}

/** What people search prompts for. */
const INJECTION_WORDS = [
  ...[
    'ignore (?:all |any |the |your )*(?:previous|prior|above|earlier)',
    'disregard',
    'forget (?:all|every|your|the)',
  ],
  ...[
    'system prompt',
    'your instructions',
    'initial prompt',
    'developer mode',
    'jailbreak',
    'do anything now',
  ],
  ...[
    '\\bDAN\\b',
    'no restrictions',
    'unrestricted',
    'unfiltered',
    'uncensored',
    'without (?:any )?(?:restrictions|rules|filters)',
  ],
  ...[
    'override',
    'bypass',
    'pretend (?:to be|you)',
    'act as',
    'you are now',
    'new instructions',
    'reveal',
  ],
];

/** The detectors of prompt injection. */
export const injectionPeers: readonly Peer[] = [
  {
    name: 'keyword list',
    about: `how many of ${INJECTION_WORDS.length} phrases occur`,
    scores: keywords(INJECTION_WORDS),
  },
  {
    name: 'llm_guardrail',
    about: 'the larger probability of its models of injection and of jailbreak',
    async scores(texts) {
      const { checkInjection, checkJailbreak } = await fromPackage<Guardrail>(
        'llm_guardrail',
        'index.js',
      );
      const both = texts.map(async (text) => [
        await checkInjection(text),
        await checkJailbreak(text),
      ]);
      return (await Promise.all(both)).map((results) =>
        Math.max(...results.map((r) => r.confidence)),
      );
    },
  },
  {
    name: 'vard',
    about: 'rules; the severity of the worst threat',
    async scores(texts) {
      const { default: vard } = await fromPackage<Vard>('@andersmyrmel/vard', 'dist/index.js');
      return texts.map((text) => {
        if (text.trim() === '') return 0;
        return Math.max(
          0,
          ...(vard.safe(text.slice(0, 9_999)).threats ?? []).map((threat) => threat.severity),
        );
      });
    },
  },
  {
    name: 'aicordon Picket',
    about: 'rules; the severity of the worst finding',
    scores: python('picket', ['aicordon'], () => 'python3'),
  },
  {
    name: 'ai-injection-guard',
    about: 'patterns; the sum of their weights',
    scores: python('prompt_shield', ['ai-injection-guard'], () => 'python3'),
  },
];

/** Common obscenities and insults, as a list would have them. */
const TOXIC_WORDS = [
  ...[
    'fuck',
    'shit',
    'bitch',
    'bastard',
    'asshole',
    'dick',
    'cunt',
    'whore',
    'slut',
    'faggot',
    'nigger',
    'retard',
  ],
  ...[
    'idiot',
    'moron',
    'stupid',
    'dumb',
    'loser',
    'ugly',
    'pathetic',
    'scum',
    'kill yourself',
    'die',
    'hate you',
  ],
  ...[
    'jerk',
    'crap',
    'damn',
    'suck',
    'piss',
    'pussy',
    'cock',
    'twat',
    'wanker',
    'prick',
    'douche',
    'shut up',
  ],
];

/** The detectors of toxicity. */
export const toxicityPeers: readonly Peer[] = [
  {
    name: 'keyword list',
    about: `how many of ${TOXIC_WORDS.length} words occur`,
    scores: keywords(TOXIC_WORDS),
  },
  {
    name: 'alt-profanity-check',
    about: 'a linear model over a bag of words',
    scores: python('profanity_check', ['alt-profanity-check'], withLearning),
  },
];
