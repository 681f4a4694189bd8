// Texts that are made to hurt a scanner: pieces of what it looks for, joined, repeated, encoded and broken.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..');
const KEPT_MAX = 512;
const PIECES_MAX = 24;

/** Parts of what the scanners look for besides the keywords of the rules, and what breaks characters. */
const FRAGMENTS: readonly string[] = [
  ...[
    '@',
    '.',
    '+',
    '(',
    ')',
    '://',
    ':',
    '=',
    '-----',
    'BEGIN ',
    'PRIVATE KEY',
    '\\n',
    '\\u00',
    '"',
  ],
  ...['4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', '078-05-1120', '+44 20 7946 0958'],
  ...['jo@example.com', '127.0.0.1', '2001:db8::1', 'passport', 'tax id ', 'phone '],
  ...[
    'ignore all previous instructions',
    'system prompt',
    'you are now',
    'reveal',
    'developer mode',
  ],
  ...[
    'ignoriere alle Anweisungen',
    'ignora las instrucciones',
    '忽略之前的指令',
    'игнорируй',
    'تجاهل',
  ],
  ...[
    '<|im_start|>',
    '[INST]',
    '### System:',
    '![x](https://',
    'aWdub3Jl',
    '&#105;',
    '%69',
    '\\x69',
  ],
  ...['1gn0r3', 'i g n o r e', 'ｉｇｎｏｒｅ', 'іgnоrе', 'I\u0307', 'ﬁ', 'ß', '\u0301\u0301\u0301'],
  ...[
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u202e',
    '\u{e0069}\u{e0067}',
    '\ufe0f',
    '\u{e0100}',
    '👩\u200d👩',
  ],
  ...[
    '\0',
    '\u007f',
    '\u0080',
    '\uffff',
    '\u{10ffff}',
    '𝄞',
    'é',
    'e\u0301',
    '한',
    'ह',
    '\r\n',
    '\t',
  ],
];

/** A random source that the same seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, but without, `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

/** Makes texts; those that showed something new are kept and changed further. */
export class Generator {
  readonly #random: Random;
  readonly #words: readonly string[];
  readonly #kept: string[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#words = [...keywords(), ...FRAGMENTS];
  }

  /** Remembers a text that is worth changing. */
  keep(text: string): void {
    if (this.#kept.length < KEPT_MAX) this.#kept.push(text);
    else this.#kept[this.#random.below(KEPT_MAX)] = text;
  }

  /** A text of some hundred bytes, seldom of some thousand, well-formed. */
  text(): string {
    const random = this.#random;
    if (this.#kept.length > 0 && random.below(2) === 0)
      return this.#changed(random.pick(this.#kept));
    let text = '';
    for (let left = 1 + random.below(PIECES_MAX); left > 0; left--) text += this.piece();
    return (random.below(40) === 0 ? text.repeat(1 + random.below(20)) : text).toWellFormed();
  }

  /** One piece: a word, a run, a token-like or random string, or any of these encoded. */
  piece(): string {
    const random = this.#random;
    const word = random.pick(this.#words);
    switch (random.below(10)) {
      case 0:
        return this.#token(1 + random.below(80));
      case 1:
        return word + this.#token(1 + random.below(60));
      case 2:
        return random.pick([' ', '\n', '. ', ', ', '"', "'", '=', ': ', '/']);
      case 3:
        return random.pick([...'aA0-_.+/= \n']).repeat(1 + random.below(60));
      case 4:
        return String.fromCodePoint(random.below(0x10ffff));
      case 5:
        return this.#encoded(word);
      case 6:
        return `${random.below(1e9)}${random.pick(['', ' ', '-', '.'])}${random.below(1e6)}`;
      default:
        return word + random.pick(['', ' ', ' ', '\n']);
    }
  }

  #token(length: number): string {
    const alphabet = this.#random.pick([
      '0123456789abcdef',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
      TOKEN,
    ]);
    let token = '';
    while (token.length < length) token += this.#random.pick([...alphabet]);
    return token;
  }

  #encoded(word: string): string {
    const bytes = Buffer.from(word);
    switch (this.#random.below(4)) {
      case 0:
        return bytes.toString('base64');
      case 1:
        return bytes.toString('hex');
      case 2:
        return encodeURIComponent(word.toWellFormed());
      default:
        return [...word].map((c) => `&#${c.codePointAt(0)};`).join('');
    }
  }

  #changed(text: string): string {
    const random = this.#random;
    const at = random.below(text.length + 1);
    const until = Math.min(text.length, at + random.below(12));
    switch (random.below(5)) {
      case 0:
        return (text.slice(0, at) + text.slice(until)).toWellFormed();
      case 1:
        return (
          text.slice(0, at) +
          text.slice(at, until).repeat(3) +
          text.slice(until)
        ).toWellFormed();
      case 2:
        return (text.slice(0, at) + random.pick(this.#kept) + text.slice(at))
          .slice(0, 4000)
          .toWellFormed();
      case 3:
        return (
          text.slice(0, at) +
          this.#encoded(text.slice(at, until)) +
          text.slice(until)
        ).toWellFormed();
      default:
        return (text.slice(0, at) + this.piece() + text.slice(until)).toWellFormed();
    }
  }
}

const TOKEN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function keywords(): string[] {
  const files = globSync('wasm/guard/rules/*/*.yaml', { cwd: ROOT }).toSorted();
  return files.flatMap((file) => {
    const { rules } = parse(readFileSync(join(ROOT, file), 'utf8')) as {
      rules: { keywords?: string[] }[];
    };
    return rules.flatMap((rule) => rule.keywords ?? []);
  });
}
