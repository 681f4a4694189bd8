// The frame of every report: one HTML file that loads nothing, runs nothing and sends nothing.
import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';
import { style } from './style.ts';

// Not escaped, so that it has the digest that the policy names.
const stylesheet = new Html(style);
const digest = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;

/** The document with this title and content. */
export function documentOf(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title><style>${stylesheet}</style></head>
<body><main>
${content}
</main></body></html>
`.text;
}
