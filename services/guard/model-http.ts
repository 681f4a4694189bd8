// Asks a text classification endpoint, as Hugging Face's inference servers have them: `{"inputs": text}`.
import { request } from 'undici';
import { PlatformError } from '../../runtime/errors.ts';
import type { InjectionModel } from './model.ts';

const timeoutMs = 10_000;
const answerBytesMax = 64 * 1024;
/** Labels of attacks, as open detectors have them; what else a label says is harmless. */
const attackLabels = /^(injection|jailbreak|malicious|attack|unsafe|label_1|1)$/i;

interface Label {
  label: string;
  /** 0 to 1. */
  score: number;
}

/**
 * A model behind a URL. It gets the whole text at once: an endpoint that cuts long texts has to be told not to. The
 * answer is `[{"label", "score"}…]` or that list in a list; the sum of the scores of attack labels counts.
 */
export function httpModel(url: string): InjectionModel {
  const { origin, pathname } = new URL(url);
  return {
    // Without the query, which may hold a key.
    name: origin + pathname,
    async score(text, signal) {
      try {
        const response = await request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ inputs: text }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        const answer = await boundedText(response.body);
        if (response.statusCode !== 200) throw new Error(`it answered ${response.statusCode}`);
        return scoreOf(JSON.parse(answer));
      } catch (cause) {
        throw new PlatformError('service_unavailable', 'the injection model gave no verdict', {
          cause,
          hint: 'nothing is let through without it; INJECTION_DETECTION_MODEL names it',
        });
      }
    },
  };
}

async function boundedText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error('it answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Thousandths. Throws for what is no list of labels with scores, and for one that names no attack. */
function scoreOf(answer: unknown): number {
  const list: unknown = Array.isArray(answer) && Array.isArray(answer[0]) ? answer[0] : answer;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isLabel)) {
    throw new Error('it answered no labels');
  }
  const labels = list as Label[];
  const attacks = labels.filter(({ label }) => attackLabels.test(label));
  // Some servers send the likeliest label alone: the rest is then the other one's.
  const [first] = labels as [Label];
  const score =
    attacks.length === 0 && labels.length === 1
      ? 1 - first.score
      : attacks.reduce((sum, { score }) => sum + score, 0);
  return Math.round(Math.min(1, Math.max(0, score)) * 1000);
}

function isLabel(value: unknown): value is Label {
  const { label, score } = (value ?? {}) as Partial<Label>;
  return typeof label === 'string' && typeof score === 'number' && score >= 0 && score <= 1;
}
