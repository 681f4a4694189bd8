// Parses the patterns of rules: RE2 as Go's package regexp takes it (its syntax.Perl flags).
import {
  CODE_POINT_MAX,
  fold,
  negate,
  normalize,
  PERL,
  POSIX,
  property,
  type Ranges,
} from './re2-class.ts';
import { PatternError } from './rules-error.ts';

export type Assertion = 'begin' | 'end' | 'lineBegin' | 'lineEnd' | 'word' | 'notWord';

export type Tree =
  | { kind: 'empty' }
  | { kind: 'set'; ranges: Ranges }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'concat'; items: Tree[] }
  | { kind: 'either'; items: Tree[] }
  /** `most` is Infinity where there is no bound. */
  | { kind: 'repeat'; item: Tree; least: number; most: number; lazy: boolean }
  | { kind: 'group'; item: Tree; index: number; name?: string };

export interface Pattern {
  tree: Tree;
  groups: number;
  /** The numbers of the groups that have names. */
  names: ReadonlyMap<string, number>;
}

/** As in Go: the largest bound of a repetition, and of the product of those within each other. */
const REPEAT_MAX = 1000;
const DEPTH_MAX = 200;

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  U: boolean;
}

/** @throws PatternError when Go would refuse the pattern, or when groups nest deeper than 200 */
export function parsePattern(source: string): Pattern {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false, U: false };
  #groups = 0;
  #depth = 0;
  readonly #names = new Map<string, number>();

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pattern {
    const tree = this.#either();
    if (this.#at < this.#source.length) this.#fail('this parenthesis closes no group');
    return { tree, groups: this.#groups, names: this.#names };
  }

  #fail(reason: string): never {
    throw new PatternError(`${reason} (at ${this.#at} of the pattern)`, this.#at);
  }

  #peek(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #character(): number {
    const point = this.#source.codePointAt(this.#at);
    if (point === undefined) this.#fail('the pattern ends too early');
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #either(): Tree {
    const items = [this.#concat()];
    while (this.#take('|')) items.push(this.#concat());
    return items.length === 1 ? items[0]! : { kind: 'either', items };
  }

  #concat(): Tree {
    const items: Tree[] = [];
    let repeated = false;
    while (this.#at < this.#source.length && !this.#peek('|') && !this.#peek(')')) {
      const bounds = this.#quantifier();
      if (bounds !== undefined) {
        const last = items.at(-1);
        if (last === undefined) this.#fail('there is nothing to repeat before this');
        if (repeated) this.#fail('a repetition of a repetition needs a group');
        const lazy = this.#take('?') !== this.#flags.U;
        items[items.length - 1] = this.#repeated({ kind: 'repeat', item: last, lazy, ...bounds });
        repeated = true;
        continue;
      }
      repeated = false;
      items.push(...this.#item());
    }
    if (items.length === 1) return items[0]!;
    return items.length === 0 ? { kind: 'empty' } : { kind: 'concat', items };
  }

  #quantifier(): { least: number; most: number } | undefined {
    if (this.#take('*')) return { least: 0, most: Infinity };
    if (this.#take('+')) return { least: 1, most: Infinity };
    if (this.#take('?')) return { least: 0, most: 1 };
    const found = this.#match(/\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y);
    if (found === undefined) return undefined;
    const least = Number(found[1]);
    const most =
      found[2] === undefined ? least : found[3] === undefined ? Infinity : Number(found[3]);
    if (least > REPEAT_MAX || (most !== Infinity && (most > REPEAT_MAX || most < least))) {
      this.#fail(`the bounds of a repetition are at most ${REPEAT_MAX}, the lower one first`);
    }
    return { least, most };
  }

  #repeated(tree: Tree & { kind: 'repeat' }): Tree {
    if ((tree.least >= 2 || tree.most >= 2) && copies(tree) > REPEAT_MAX) {
      this.#fail(`the repetitions within each other are more than ${REPEAT_MAX}`);
    }
    return tree;
  }

  #item(): Tree[] {
    const flags = this.#flags;
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return [{ kind: 'set', ranges: this.#class() }];
    if (this.#take('.')) {
      return [{ kind: 'set', ranges: flags.s ? [[0, CODE_POINT_MAX]] : negate([[10, 10]]) }];
    }
    if (this.#take('^')) return [{ kind: 'assert', what: flags.m ? 'lineBegin' : 'begin' }];
    if (this.#take('$')) return [{ kind: 'assert', what: flags.m ? 'lineEnd' : 'end' }];
    if (this.#peek('\\')) return this.#backslash();
    return [this.#literal(this.#character())];
  }

  #literal(point: number): Tree {
    const ranges: Ranges = [[point, point]];
    return { kind: 'set', ranges: this.#flags.i ? fold(ranges) : ranges };
  }

  #backslash(): Tree[] {
    if (this.#take('\\A')) return [{ kind: 'assert', what: 'begin' }];
    if (this.#take('\\z')) return [{ kind: 'assert', what: 'end' }];
    if (this.#take('\\b')) return [{ kind: 'assert', what: 'word' }];
    if (this.#take('\\B')) return [{ kind: 'assert', what: 'notWord' }];
    if (this.#take('\\Q')) {
      const end = this.#source.indexOf('\\E', this.#at);
      const quoted = this.#source.slice(this.#at, end < 0 ? undefined : end);
      this.#at += quoted.length + (end < 0 ? 0 : 2);
      return [...quoted].map((character) => this.#literal(character.codePointAt(0)!));
    }
    const set = this.#setEscape();
    return [set === undefined ? this.#literal(this.#escape()) : { kind: 'set', ranges: set }];
  }

  /** `\d` and its like or `\p` and its like; undefined with nothing read when there is neither. */
  #setEscape(): Ranges | undefined {
    const perl = this.#match(/\\([dswDSW])/y)?.[1];
    if (perl !== undefined) {
      const lower = perl.toLowerCase();
      const ranges = this.#folded(PERL[lower]!);
      return perl === lower ? ranges : negate(ranges);
    }
    const found = this.#match(/\\([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/y);
    if (found === undefined) return undefined;
    const ranges = property(found[3] ?? found[4]!);
    if (ranges === undefined) this.#fail(`there is no Unicode property ${found[0]}`);
    const negated = (found[1] === 'P') !== (found[2] === '^');
    return negated ? negate(this.#folded(ranges)) : this.#folded(ranges);
  }

  #folded(ranges: Ranges): Ranges {
    return this.#flags.i ? fold(ranges) : ranges;
  }

  /** The code point of an escape of one character, at its backslash. */
  #escape(): number {
    const hex = this.#match(/\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y);
    if (hex !== undefined) {
      const value = Number.parseInt(hex[1] ?? hex[2]!, 16);
      if (value > CODE_POINT_MAX) this.#fail('there is no such code point');
      return value;
    }
    const octal = this.#match(/\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y);
    if (octal !== undefined) return Number.parseInt(octal[1]!, 8);
    const control = this.#match(/\\([afnrtv])/y)?.[1];
    if (control !== undefined) {
      return { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }[control as 'a'];
    }
    const mark = this.#match(/\\([!-/:-@[-`{-~ ])/y)?.[1];
    if (mark !== undefined && mark !== '_') return mark.charCodeAt(0);
    const plain = this.#match(/\\([\0-\x7f])/y)?.[1];
    if (plain !== undefined && !/\w/.test(plain)) return plain.charCodeAt(0);
    return this.#fail('RE2 has no such escape (look-around and back-references are not supported)');
  }

  #class(): Ranges {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    let first = true;
    while (first || !this.#peek(']')) {
      first = false;
      if (this.#at >= this.#source.length) this.#fail('this class has no closing bracket');
      const named = this.#posix() ?? this.#setEscape();
      if (named !== undefined) {
        ranges.push(...named);
        continue;
      }
      const low = this.#peek('\\') ? this.#escape() : this.#character();
      let high = low;
      if (/^-[^\]]/s.test(this.#source.slice(this.#at, this.#at + 2))) {
        this.#at++;
        high = this.#peek('\\') ? this.#escape() : this.#character();
        if (high < low) this.#fail('the range of the class is the wrong way round');
      }
      ranges.push(...this.#folded([[low, high]]));
    }
    this.#at++;
    const all = normalize(ranges);
    return negated ? negate(all) : all;
  }

  #posix(): Ranges | undefined {
    const found = this.#match(/\[:(\^?)([^:\]]*):\]/y);
    if (found === undefined) return undefined;
    const ranges = Object.hasOwn(POSIX, found[2]!) ? POSIX[found[2]!] : undefined;
    if (ranges === undefined) this.#fail(`there is no class ${found[0]}`);
    return found[1] === '^' ? negate(this.#folded(ranges)) : this.#folded(ranges);
  }

  /** What follows an opening parenthesis; flags alone are no item. */
  #group(): Tree[] {
    const outer = { ...this.#flags };
    const named = this.#match(/\?P?<(\w+)>/y);
    if (named === undefined && this.#take('?')) return this.#flagged(outer);
    const index = ++this.#groups;
    const name = named?.[1];
    if (name !== undefined) {
      if (this.#names.has(name)) this.#fail(`two groups are called ${name}`);
      this.#names.set(name, index);
    }
    return [{ kind: 'group', item: this.#body(outer), index, name }];
  }

  #body(outer: Flags): Tree {
    if (++this.#depth > DEPTH_MAX) this.#fail(`groups nest deeper than ${DEPTH_MAX}`);
    const item = this.#either();
    this.#depth--;
    if (!this.#take(')')) this.#fail('a group has no closing parenthesis');
    this.#flags = outer;
    return item;
  }

  #flagged(outer: Flags): Tree[] {
    const found = this.#match(/([imsU]*)(?:-([imsU]+))?([:)])/y);
    if (found === undefined) {
      this.#fail('RE2 has no such group (look-around is not supported)');
    }
    const flags = { ...this.#flags };
    for (const letter of found[1]!) flags[letter as keyof Flags] = true;
    for (const letter of found[2] ?? '') flags[letter as keyof Flags] = false;
    this.#flags = flags;
    return found[3] === ':' ? [this.#body(outer)] : [];
  }
}

/** The most copies of one thing that repetitions within each other make. */
function copies(tree: Tree): number {
  switch (tree.kind) {
    case 'concat':
    case 'either':
      return Math.max(...tree.items.map(copies));
    case 'group':
      return copies(tree.item);
    case 'repeat': {
      if (tree.most === 0) return 1;
      return Math.max(1, tree.most === Infinity ? tree.least : tree.most) * copies(tree.item);
    }
    default:
      return 1;
  }
}
