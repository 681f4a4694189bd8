// Writes the picture of an explanation as one page that needs nothing else: no script, nothing loaded.
import { readFileSync } from 'node:fs';
import { type PictureElement, pictureOf } from './picture.ts';
import type { View } from './view.ts';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A whole page. Everything that policies and inputs said is escaped; its own policy allows no script. */
export function htmlOf(view: View, about: string): string {
  const css = readFileSync(new URL('./picture.css', import.meta.url), 'utf8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(`${view.verdict} ${view.rule}`)}</title>
<style>
${css}</style>
</head>
<body class="alone">
<main>
<h1>${escaped(about)}</h1>
${markup(pictureOf(view))}
</main>
</body>
</html>
`;
}

/** The markup of one element and what is in it. */
export function markup(element: PictureElement): string {
  const { tag, class: name, open, children } = element;
  const attributes = [
    name === undefined ? '' : ` class="${escaped(name)}"`,
    open === true ? ' open' : '',
  ].join('');
  const inside = children
    .map((child) => (typeof child === 'string' ? escaped(child) : markup(child)))
    .join('');
  return `<${tag}${attributes}>${inside}</${tag}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
