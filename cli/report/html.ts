// HTML from a template in which every value is escaped, and what cannot be seen is shown.

/** Markup that is safe to stand in a page; only `html` and `joined` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | false | undefined | readonly Html[];

/** Markup with values between: texts are escaped, markup stands as it is, nothing for false. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  let text = parts[0]!;
  for (const [at, value] of values.entries()) text += textOf(value) + parts[at + 1]!;
  return new Html(text);
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escaped(String(value));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Controls, formats (which turn the direction of text, or have no width), unassigned and private
// characters, halves of surrogate pairs, every separator but the space, and letters and marks that are
// blank by their definition, such as the Hangul filler and the empty Braille cell.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/u;
const special = /[&<>"']|[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;

/**
 * The text for an element or a quoted attribute. A character that cannot be seen, or that would turn
 * the text around it, is written as its code point, `⟨U+202E⟩`.
 */
function escaped(text: string): string {
  return text.replace(special, (found) => {
    if (!unseen.test(found)) return entities[found]!;
    return `⟨U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The first so many characters of a text, with `…` for the rest. */
export function cut(text: string, charactersMax: number): string {
  const characters = [...text.slice(0, charactersMax * 2 + 2)];
  if (characters.length <= charactersMax && text.length <= charactersMax * 2 + 2) return text;
  return `${characters.slice(0, charactersMax).join('')}…`;
}

/** A number with its thousands apart, such as `12,873`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
