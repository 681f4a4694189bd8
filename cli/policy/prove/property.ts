// Reads the sentence that is to be proved.
import { InputError } from '../../../runtime/errors.ts';
import { suggest } from '../../suggest.ts';

/** What a sentence says; `text` is the sentence as it was given, its white space made single. */
export type Property = { text: string; boundary: string } & (
  | { kind: 'tenant_only'; tenant: string; service: string }
  | { kind: 'no_shared_service'; agents: [string, string] }
  | { kind: 'no_talk'; agents: [string, string] }
  | { kind: 'only_scope'; agents: string[]; scope: string }
  | { kind: 'carries_control'; control: string }
);

/** The forms of a sentence, as help and errors show them. */
export const FORMS = [
  'no identity outside tenant T reaches service S [at BOUNDARY]',
  'agents A and B share no service [at BOUNDARY]',
  'agents A and B cannot talk [at BOUNDARY]',
  'only A, B reach secret scope S [at BOUNDARY]',
  'every allow of BOUNDARY carries control C',
] as const;

/** A sentence that is not understood, or that names what is not there: the command line is wrong. */
export class SentenceError extends InputError {}

const TEXT_CHARACTERS_MAX = 4096;
const AGENTS_MAX = 100;

/**
 * Reads one of `FORMS`.
 * @throws SentenceError `input_invalid` with the nearest form in its hint, `sentence_characters` for
 * anything but printable ASCII: two names that look the same must be the same
 */
export function readProperty(sentence: string): Property {
  if (sentence.length > TEXT_CHARACTERS_MAX) throw unreadable(sentence.slice(0, 40));
  if (!/^[ -~]*$/.test(sentence)) {
    throw new SentenceError('sentence_characters', 'a sentence holds printable ASCII only', {
      hint: 'write it anew: a character of it is not what it looks like',
    });
  }
  const words = sentence.trim().split(/\s+/);
  const text = words.join(' ');
  const given = words.length > 2 && words.at(-2) === 'at' ? words.splice(-2)[1] : undefined;
  const rest = words.join(' ');
  const [a, b, c] = words;
  if (words.length === 8 && rest.startsWith('no identity outside tenant ')) {
    if (words[5] === 'reaches' && words[6] === 'service') {
      const [tenant, service] = [words[4]!, words[7]!];
      return { text, boundary: given ?? 'tool', kind: 'tenant_only', tenant, service };
    }
  }
  if (a === 'agents' && c === 'and' && b !== undefined && words[3] !== undefined) {
    const agents: [string, string] = [b, words[3]];
    const says = words.slice(4).join(' ');
    const boundary = given;
    if (says === 'share no service') {
      return { text, boundary: boundary ?? 'tool', kind: 'no_shared_service', agents };
    }
    if (says === 'cannot talk') {
      return { text, boundary: boundary ?? 'message', kind: 'no_talk', agents };
    }
  }
  if (a === 'only' && words.at(-4) === 'reach' && rest.includes(' reach secret scope ')) {
    const agents = words
      .slice(1, -4)
      .join(' ')
      .split(/, ?| and /);
    if (agents.length <= AGENTS_MAX && agents.every((name) => name !== '' && !name.includes(' '))) {
      return {
        text,
        boundary: given ?? 'secret',
        kind: 'only_scope',
        agents,
        scope: words.at(-1)!,
      };
    }
  }
  if (words.length === 7 && rest.startsWith('every allow of ') && given === undefined) {
    if (words[4] === 'carries' && words[5] === 'control') {
      return { text, boundary: words[3]!, kind: 'carries_control', control: words[6]! };
    }
  }
  throw unreadable(rest);
}

/** What a reader of the verdict could take the sentence to say, and it does not. */
export function noteOf(property: Property): string | undefined {
  return property.kind === 'only_scope'
    ? 'reads are not covered: the scope module judges them by identity alone'
    : undefined;
}

function unreadable(sentence: string): SentenceError {
  const [first = '', second = ''] = sentence.split(' ');
  const firsts = FORMS.map((form) => form.split(' ')[0]!);
  const near = FORMS.filter((form) => form.startsWith(suggest(first, firsts) ?? '\0'));
  const exact = near.filter((form) => form.split(' ')[1] === second);
  const shown = exact.length > 0 ? exact : near.length > 0 ? near : FORMS;
  return new SentenceError('input_invalid', 'this sentence is not one that can be proved', {
    hint: `write it as: ${shown.join('\n    or: ')}`,
  });
}
