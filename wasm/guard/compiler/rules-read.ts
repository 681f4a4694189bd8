// Reads files of rules (YAML) and checks every member; each mistake is said with its line and what to do.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { CHECK_NAMES } from '../engine/checks/names.ts';
import { isNullable, lengths } from './program.ts';
import { type Pattern, parsePattern } from './re2.ts';
import { type Rule, type RuleSource, SETS, type SetName } from './rules.ts';
import { PatternError, type Place, RuleError } from './rules-error.ts';

/** Most bytes of a match: what a stream holds back at most. */
const MATCH_MAX = 16_384;
const KEYWORD_MIN = 3;
const KEYWORD_MAX = 64;
const ENTROPY_MAX = 8;
const SCORE_MAX = 1000;
const FILE_MEMBERS = ['set', 'rules', 'allow', 'placeholders'];
const RULE_MEMBERS = [
  ...['id', 'kind', 'title', 'docs', 'keywords', 'pattern', 'max', 'entropy', 'check'],
  ...['stopwords', 'allow', 'generic', 'score'],
];
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The rules of all files, in order.
 * @throws RuleError for the first mistake: unreadable YAML, an unknown member, a wrong value, a pattern that is no
 *   RE2 or matches nothing, an id that two rules have
 */
export function readRules(sources: readonly RuleSource[]): Rule[] {
  const ids = new Set<string>();
  const files = sources.map((source) => new RuleFile(source, ids).read());
  return files.flatMap(({ rules }) =>
    rules.map((rule) => ({ ...rule, allow: [...rule.allow, ...allowedIn(files, rule.set)] })),
  );
}

interface RuleList {
  set: SetName;
  rules: Rule[];
  allow: Pattern[];
}

/** What the files allow that have no rules of their own: it holds for every rule of the set. */
function allowedIn(files: readonly RuleList[], set: SetName): Pattern[] {
  return files.flatMap((file) => (file.set === set && file.rules.length === 0 ? file.allow : []));
}

class RuleFile {
  readonly #file: string;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #ids: Set<string>;

  constructor({ file, text }: RuleSource, ids: Set<string>) {
    this.#file = file;
    this.#text = text;
    this.#ids = ids;
  }

  read(): RuleList {
    const document = parseDocument(this.#text, {
      lineCounter: this.#lines,
      prettyErrors: false,
    });
    const error = document.errors[0];
    if (error !== undefined) {
      throw new RuleError(this.#placeAt(error.pos[0]), `is no YAML: ${error.message}`, error);
    }
    const root = this.#map(document.contents, 'the file', FILE_MEMBERS);
    const set = this.#string(this.#member(root, 'set', 'the file'), 'set') as SetName;
    if (!SETS.includes(set)) {
      this.#fail(root.get('set', true), `set is one of ${SETS.join(', ')}`);
    }
    const allow = this.#patterns(root, 'allow');
    const common = { set, allow, placeholders: this.#patterns(root, 'placeholders') };
    const rules = this.#list(root, 'rules').map((node) => this.#rule(node, common));
    return { set, rules, allow };
  }

  #rule(node: unknown, common: Pick<Rule, 'set' | 'allow' | 'placeholders'>): Rule {
    const map = this.#map(node, 'a rule', RULE_MEMBERS);
    const id = this.#name(this.#member(map, 'id', 'a rule'), 'id');
    if (this.#ids.has(id)) this.#fail(map.get('id', true), `two rules have the id ${id}`);
    this.#ids.add(id);
    const kind = map.has('kind') ? this.#name(map.get('kind', true), 'kind') : id;
    const patternNode = this.#member(map, 'pattern', `the rule ${id}`);
    const pattern = this.#pattern(patternNode, 'pattern');
    if (isNullable(pattern.tree)) {
      this.#fail(
        patternNode,
        `the pattern of ${id} matches nothing at all: make it match a byte at least`,
      );
    }
    return {
      ...{ set: common.set, id, kind, pattern, place: this.#place(patternNode) },
      title: this.#optionalText(map, 'title') ?? id.replaceAll('_', ' '),
      docs: this.#optionalText(map, 'docs'),
      keywords: this.#list(map, 'keywords').map((each) => this.#keyword(each)),
      group: pattern.names.get('secret') ?? Math.min(pattern.groups, 1),
      max: this.#max(map, pattern, id),
      entropy: this.#number(map, 'entropy', 0, ENTROPY_MAX) ?? 0,
      check: this.#check(map),
      stopwords: this.#list(map, 'stopwords').map((each) => this.#stopword(each)),
      allow: [...this.#patterns(map, 'allow'), ...common.allow],
      placeholders: common.placeholders,
      generic: this.#flag(map, 'generic'),
      score: this.#whole(map, 'score', 0, SCORE_MAX) ?? SCORE_MAX,
    };
  }

  #max(map: YAMLMap, pattern: Pattern, id: string): number {
    const { least, most } = lengths(pattern.tree);
    const given = this.#whole(map, 'max', 1, MATCH_MAX);
    if (given !== undefined && given < least) {
      this.#fail(
        map.get('max', true),
        `max is ${given}, but the shortest match of ${id} has ${least} bytes`,
      );
    }
    if (given === undefined && most > MATCH_MAX) {
      const reason = most === Infinity ? 'has no greatest length' : `matches up to ${most} bytes`;
      this.#fail(
        map.get('pattern', true),
        `the pattern of ${id} ${reason}: say max, the most bytes of a match (at most ${MATCH_MAX})`,
      );
    }
    return Math.min(given ?? most, most);
  }

  #check(map: YAMLMap): number {
    const name = this.#optionalText(map, 'check');
    if (name === undefined) return 0;
    const number = CHECK_NAMES.indexOf(name) + 1;
    if (number === 0) {
      this.#fail(
        map.get('check', true),
        `there is no check ${name}; there are ${CHECK_NAMES.join(', ')}`,
      );
    }
    return number;
  }

  #keyword(node: unknown): string {
    const keyword = this.#string(node, 'a keyword');
    const { length } = new TextEncoder().encode(keyword);
    if (length < KEYWORD_MIN || length > KEYWORD_MAX) {
      this.#fail(node, `a keyword has ${KEYWORD_MIN} to ${KEYWORD_MAX} bytes`);
    }
    if (/[\u017f\u212a]/.test(keyword)) this.#fail(node, 'write a plain s or k in a keyword');
    return keyword;
  }

  #stopword(node: unknown): string {
    const word = this.#string(node, 'a stop-word');
    if (!/^[\x20-\x7e]{1,64}$/.test(word)) {
      this.#fail(node, 'a stop-word is 1 to 64 characters of ASCII');
    }
    return word;
  }

  #pattern(node: unknown, what: string): Pattern {
    const text = this.#string(node, what);
    try {
      return parsePattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return this.#fail(node, `${what} is no RE2 pattern: ${error.message}`, error);
    }
  }

  #patterns(map: YAMLMap, name: string): Pattern[] {
    return this.#list(map, name).map((node) => this.#pattern(node, name));
  }

  #name(node: unknown, what: string): string {
    const name = this.#string(node, what);
    if (!NAME.test(name)) {
      this.#fail(node, `${what} is a small letter, then small letters, digits and _, at most 64`);
    }
    return name;
  }

  #map(node: unknown, what: string, members: readonly string[]): YAMLMap {
    if (!isMap(node))
      return this.#fail(node, `${what} has to be a mapping of ${members.join(', ')}`);
    for (const { key } of node.items) {
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string' || !members.includes(name)) {
        this.#fail(key, `${what} has no member ${name}; it may have ${members.join(', ')}`);
      }
    }
    return node;
  }

  #member(map: YAMLMap, name: string, what: string): unknown {
    const node = map.get(name, true);
    if (node === undefined) this.#fail(map, `${what} needs the member ${name}`);
    return node;
  }

  #list(map: YAMLMap, name: string): unknown[] {
    const node: unknown = map.get(name, true);
    if (node === undefined) return [];
    if (!isSeq(node)) return this.#fail(node, `${name} is a list`);
    return node.items;
  }

  #string(node: unknown, what: string): string {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string' || !value.isWellFormed()) {
      return this.#fail(node, `${what} is a string: put it in quotes`);
    }
    return value;
  }

  #optionalText(map: YAMLMap, name: string): string | undefined {
    return map.has(name) ? this.#string(map.get(name, true), name) : undefined;
  }

  #flag(map: YAMLMap, name: string): boolean {
    if (!map.has(name)) return false;
    const node: unknown = map.get(name, true);
    const value = isScalar(node) ? node.value : undefined;
    return typeof value === 'boolean' ? value : this.#fail(node, `${name} is true or false`);
  }

  #number(map: YAMLMap, name: string, least: number, most: number): number | undefined {
    if (!map.has(name)) return undefined;
    const node: unknown = map.get(name, true);
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
      this.#fail(node, `${name} is a number from ${least} to ${most}`);
    }
    return value;
  }

  #whole(map: YAMLMap, name: string, least: number, most: number): number | undefined {
    const value = this.#number(map, name, least, most);
    if (value !== undefined && !Number.isInteger(value)) {
      this.#fail(map.get(name, true), `${name} is a whole number`);
    }
    return value;
  }

  #place(node: unknown): Place {
    return this.#placeAt((node as Node | null | undefined)?.range?.[0] ?? 0);
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #fail(node: unknown, reason: string, cause?: unknown): never {
    throw new RuleError(this.#place(node), reason, cause);
  }
}
