// Fuzzes the guard: no trap, work linear in the text, streams and Python answer as the whole text in Node does.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { Generator, Random } from './generator.ts';
import { type Answer, Bare, cut, listed, type Options, randomOptions } from './harness.ts';

/** The steps of a text twice as long, and of the worst text beside the median one, a byte each. */
const LINEAR_MOST = 2.2;
const WORST_MOST = 40;
const LONG_BYTES = 4096;
const DOUBLED_BYTES = 8192;
const BATCH = 2000;

export interface FuzzOptions {
  inputs: number;
  seed: number;
  /** The interpreter that holds the Python SDK; without one Python is not compared. */
  python?: string;
  progress?(done: number): void;
}

export interface FuzzReport {
  inputs: number;
  /** How many were also scanned in pieces, doubled, and by Python. */
  streamed: number;
  doubled: number;
  python: number;
  /** Scanner and kind of everything that was found. */
  kinds: string[];
  /** Steps a byte of texts of at least four kilobytes. */
  stepsPerByte: { median: number; worst: number; worstText: string };
  /** What must not be: at most 20, each with the request that shows it. */
  failures: { what: string; request: string }[];
}

/** Runs until `inputs` requests were answered; the same seed repeats the run. */
export async function fuzzGuard(options: FuzzOptions): Promise<FuzzReport> {
  const run = new Run(options);
  for (let done = 0; done < options.inputs; done += BATCH) {
    await run.batch(Math.min(BATCH, options.inputs - done));
    options.progress?.(Math.min(options.inputs, done + BATCH));
  }
  return run.report();
}

class Run {
  readonly #options: FuzzOptions;
  readonly #random: Random;
  readonly #generator: Generator;
  readonly #module = new WebAssembly.Module(moduleBytes('guard') as Uint8Array<ArrayBuffer>);
  readonly #seen = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #perByte: number[] = [];
  readonly #counts = { inputs: 0, streamed: 0, doubled: 0, python: 0 };
  readonly #failures: FuzzReport['failures'] = [];
  #bare: Bare;
  #worst = { perByte: 0, text: '' };

  constructor(options: FuzzOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#generator = new Generator(this.#random);
    this.#bare = new Bare(this.#module);
  }

  async batch(count: number): Promise<void> {
    const requests: Buffer[] = [];
    const answers: string[] = [];
    for (let number = 0; number < count; number++) {
      const options = randomOptions(this.#random);
      const text = this.#generator.text();
      const request = Buffer.from(JSON.stringify({ ...options, text }));
      this.#counts.inputs += 1;
      try {
        const answer = this.#one(options, text, request);
        requests.push(request);
        answers.push(createHash('sha256').update(answer).digest('hex'));
      } catch (error) {
        this.#fail(`${(error as Error).message}`, request);
        this.#bare = new Bare(this.#module);
      }
    }
    if (this.#options.python !== undefined) await this.#python(requests, answers);
  }

  #one(options: Options, text: string, request: Buffer): Buffer {
    const { answer, steps } = this.#bare.scan(request);
    if (typeof answer === 'number') throw new Error(`refused with ${answer}`);
    const parsed = JSON.parse(answer.toString()) as Answer;
    this.#learn(text, parsed, steps);
    const die = this.#random.below(20);
    if (die < 4) this.#stream(options, text, parsed, request);
    else if (die === 4) this.#double(options, text);
    else if (die === 5) this.#long(options);
    return answer;
  }

  /** Keeps a text that found something new, or worked in a new way. */
  #learn(text: string, { findings }: Answer, steps: number): void {
    const kinds = findings.map(({ scanner, kind }) => `${scanner}/${kind}`);
    for (const kind of kinds) this.#kinds.add(kind);
    const effort = Math.round(Math.log2(1 + steps / (text.length + 1)) * 4);
    const signature = `${[...new Set(kinds)].toSorted().join(' ')} ${effort}`;
    if (this.#seen.has(signature) || text.length > 4000) return;
    this.#seen.add(signature);
    this.#generator.keep(text);
  }

  #stream(options: Options, text: string, whole: Answer, request: Buffer): void {
    if (whole.truncated) return;
    this.#counts.streamed += 1;
    const pieces = cut(Buffer.from(text), this.#random);
    const streamed = this.#bare.stream(options, pieces);
    if (typeof streamed === 'number') throw new Error(`the stream is refused: ${streamed}`);
    if (listed(streamed) === listed(whole)) return;
    const sizes = pieces.map(({ length }) => length).join(',');
    this.#fail(`in pieces of ${sizes}: ${listed(streamed)}\nwhole: ${listed(whole)}`, request);
  }

  /** Texts that are longer than any window: in shorter ones, the second half may be judged with the first. */
  #double(options: Options, text: string): void {
    if (text.length === 0) return;
    this.#counts.doubled += 1;
    const once = text.repeat(Math.ceil(DOUBLED_BYTES / text.length)).toWellFormed();
    // A sentence that is flagged is not judged again with the next one, and the model alone flags fewer the longer a
    // text is: what one part of the text costs is compared with another only where none is flagged.
    const alike = { ...options, thresholds: { PromptInjection: 1000 } };
    const request = (of: string) => Buffer.from(JSON.stringify({ ...alike, text: of }));
    const { steps } = this.#bare.scan(request(once));
    const { steps: more } = this.#bare.scan(request(once + once));
    if (more <= steps * LINEAR_MOST) return;
    this.#fail(`${steps} steps, and ${more} for a text twice as long`, request(once));
  }

  /** What a byte costs in a long text of one repeated piece or of many. */
  #long(options: Options): void {
    const unit = this.#random.below(2) === 0 ? this.#generator.piece() : this.#generator.text();
    if (unit.length === 0) return;
    const text = unit.repeat(Math.ceil(LONG_BYTES / unit.length)).toWellFormed();
    const bytes = Buffer.byteLength(text);
    const { steps } = this.#bare.scan(Buffer.from(JSON.stringify({ ...options, text })));
    const perByte = steps / bytes;
    this.#perByte.push(perByte);
    if (perByte > this.#worst.perByte) this.#worst = { perByte, text: unit.slice(0, 400) };
  }

  async #python(requests: Buffer[], answers: string[]): Promise<void> {
    const input = `${requests.map((request) => request.toString('base64')).join('\n')}\n`;
    const lines = (await answersOf(this.#options.python!, input)).trimEnd().split('\n');
    requests.forEach((request, index) => {
      this.#counts.python += 1;
      if (lines[index] !== answers[index]) this.#fail('Python answers otherwise', request);
    });
  }

  #fail(what: string, request: Buffer): void {
    if (this.#failures.length < 20) this.#failures.push({ what, request: request.toString() });
  }

  report(): FuzzReport {
    const sorted = this.#perByte.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? 0;
    const { perByte: worst, text: worstText } = this.#worst;
    if (worst > median * WORST_MOST) {
      const what = `the worst text takes ${(worst / median).toFixed(0)} times the median steps a byte`;
      this.#fail(what, Buffer.from(worstText));
    }
    return {
      ...this.#counts,
      kinds: [...this.#kinds].toSorted(),
      stepsPerByte: { median, worst, worstText },
      failures: this.#failures,
    };
  }
}

function answersOf(python: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, 'answers.py');
    const options = { maxBuffer: 1 << 26, encoding: 'utf8' } as const;
    const child = execFile(python, [program], options, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout);
    });
    child.stdin!.end(input);
  });
}
