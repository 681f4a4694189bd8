// Colours lines of Rego and JSON: words of the language, texts, numbers and comments, and nothing cleverer.

export type Language = 'rego' | 'json';
type Kind = 'comment' | 'string' | 'key' | 'keyword' | 'number';
export type Token = [kind: Kind | '', text: string];

/** What each group of a language's expression is. */
const languages: Record<Language, { expression: RegExp; kinds: readonly Kind[] }> = {
  rego: {
    kinds: ['comment', 'string', 'keyword', 'number'],
    expression:
      /(#.*)|("(?:[^"\\]|\\.)*"?|`[^`]*`?)|\b(package|import|default|if|else|contains|in|some|every|not|with|as|true|false|null|input|data)\b|\b(\d[\d.eE]*)\b/g,
  },
  json: {
    kinds: ['key', 'string', 'keyword', 'number'],
    expression:
      /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*"?)|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)/g,
  },
};

/** The parts of one line; together they are the line. */
export function tokensOf(line: string, language: Language): Token[] {
  const { expression, kinds } = languages[language];
  const found: Token[] = [];
  let at = 0;
  for (const match of line.matchAll(expression)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)];
    if (kind === undefined) continue;
    if (match.index > at) found.push(['', line.slice(at, match.index)]);
    found.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < line.length || found.length === 0) found.push(['', line.slice(at)]);
  return found;
}
