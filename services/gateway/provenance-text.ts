// How provenance reads text: one normal form, its words, and the tokens that can name a target (links, addresses, accounts).

export type TokenKind = 'link' | 'email' | 'account';

export interface Token {
  kind: TokenKind;
  value: string;
}

// Every quantifier is bounded, so that each pattern is linear in the text's length.
const emailPattern = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;
const linkPattern =
  /(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)[^\s"'<>()[\]{}\u0080-\uffff]{1,2048}|(?<![a-z0-9@._%+-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![a-z0-9])(?:\/[^\s"'<>()[\]{}\u0080-\uffff]{0,2048})?/g;
const unicodeHostPattern =
  /(?<![\p{L}\p{N}@._%+-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu;
const ibanPattern =
  /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?:[a-z0-9]{8,30}| [a-z0-9]{4}(?: (?=[a-z]{0,3}\d)[a-z0-9]{4}){1,6}(?: (?=[a-z]{0,2}\d)[a-z0-9]{1,3})?)(?![\p{L}\p{N}])/gu;
const digitsPattern = /(?<![\p{L}\p{N}])\d(?:[ -]?\d){7,33}(?![\p{L}\p{N}])/gu;
const datePattern = /\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?)?/g;
const numberPattern =
  /^([-+\u2212]?)[\p{Sc}]?(\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(\.\d{1,18})?[\p{Sc}%]?$/u;

// A dotted name with one of these endings is a file's name, not a host's.
const fileEndings = new Set(
  'csv doc docx gif htm html jpeg jpg json md pdf png ppt pptx txt xls xlsx xml yaml yml zip'.split(
    ' ',
  ),
);

/** Case folded, compatibility forms unified, invisible format characters removed. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase();
}

/** A link without what does not change where it points: scheme, ending slash, ending punctuation. */
export function bareLink(link: string): string {
  return link
    .replace(/^https?:\/\//, '')
    .replace(/[.,;:!?*_~`]{1,64}$/, '')
    .replace(/\/$/, '');
}

/**
 * The words of a text in order: split at white space and between a sentence and one glued to its
 * full stop, without outer punctuation, numbers in one form (`$30,000.00` is `30000`).
 */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const piece of text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .split(/\s+/)) {
    const parts = piece.includes('@') ? [piece] : piece.split(/(?<=\p{L})\.(?=\p{Lu}\p{Ll})/u);
    for (const part of parts) {
      const word = asWord(part.toLowerCase());
      if (word !== '') found.push(word);
    }
  }
  return found;
}

function asWord(piece: string): string {
  const number = numberPattern.exec(piece.replace(/[.,;:!?)\]]$/, '').replace(/^[([]/, ''));
  if (number) {
    const sign = number[1] === '-' || number[1] === '\u2212' ? '-' : '';
    return canonicalNumber(`${sign}${(number[2] ?? '').replaceAll(',', '')}${number[3] ?? ''}`);
  }
  let start = 0;
  let end = piece.length;
  while (start < end && isPunctuation(piece[start] as string)) start++;
  while (end > start && isPunctuation(piece[end - 1] as string)) end--;
  const inner = piece.slice(start, end).replace(/['’]s$/, '');
  if (!numberPattern.test(inner)) return bareLink(inner);
  // The sign of `$-100` and of a quoted `-100` is no punctuation.
  const minus = /[\p{Pd}\u2212]\p{Sc}?$/u.test(piece.slice(Math.max(0, start - 2), start));
  return canonicalNumber(`${minus ? '-' : ''}${asWord(inner)}`);
}

function isPunctuation(character: string): boolean {
  return /^[\p{P}\p{S}]$/u.test(character);
}

/** `007.50` → `7.5`, with its sign; digits that binary64 cannot hold stay as they are. */
export function canonicalNumber(digits: string): string {
  if (!/^-?[\d.]+$/.test(digits)) return digits;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.slice(sign.length).split('.');
  const head = whole.replace(/^0+(?=\d)/, '');
  const tail = fraction.replace(/0+$/, '');
  const bare = tail === '' ? head : `${head}.${tail}`;
  return bare === '0' ? bare : `${sign}${bare}`;
}

/** The tokens of a normalised text that can name a target. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  const undated = text.replace(datePattern, ' \u2026 ');
  const rest = take(undated, emailPattern, 'email', found);
  const plain = take(rest, linkPattern, 'link', found);
  const unlinked = take(plain, unicodeHostPattern, 'link', found);
  take(take(unlinked, ibanPattern, 'account', found), digitsPattern, 'account', found);
  return found;
}

function take(text: string, pattern: RegExp, kind: TokenKind, found: Token[]): string {
  return text.replace(pattern, (match) => {
    if (kind === 'link' && isFileName(match)) return match;
    const value = kind === 'link' ? bareLink(match) : kind === 'account' ? digits(match) : match;
    found.push({ kind, value });
    return ' ';
  });
}

function isFileName(match: string): boolean {
  if (match.includes('/') || match.startsWith('www.')) return false;
  return fileEndings.has(match.slice(match.lastIndexOf('.') + 1));
}

function digits(match: string): string {
  return match.replace(/[ -]/g, '');
}

/** The words of a mail address's local part that can be a person's name. */
export function nameWords(text: string): string[] {
  const at = text.indexOf('@');
  if (at <= 0 || at > 64) return [];
  return text
    .slice(0, at)
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length >= 3);
}
