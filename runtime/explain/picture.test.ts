// The picture and the page: nothing that a policy or an input says becomes markup or steers a terminal.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RegoOutcome } from '../modules/rego.ts';
import { htmlOf, markup } from './html.ts';
import { type PictureElement, pictureOf } from './picture.ts';
import { printable } from './printable.ts';
import { textOf } from './text.ts';
import { type Line, type View, viewOf } from './view.ts';

const outcomes: RegoOutcome[] = ['true', 'false', 'undefined', 'unreached', 'unknown'];
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '</style><img src=x onerror=alert(1)>',
    '" onclick="alert(1)',
    "' onmouseover='x",
    '&lt;b&gt;',
    '\u001b]0;title\u0007\u001b[2J',
    '\u202egpj.exe',
    '\u009b31m',
    '\u2028\u2029\ud800',
  ),
);
const lines: fc.Arbitrary<Line> = fc.letrec<{ line: Line }>((tie) => ({
  line: fc.record({
    outcome: fc.constantFrom(...outcomes),
    kind: fc.constantFrom('rule' as const, 'condition' as const),
    ...{ text: hostile, name: hostile, place: hostile, note: hostile },
    values: fc.array(fc.tuple(hostile, hostile), { maxLength: 2 }),
    children: fc.oneof(
      { maxDepth: 5 },
      fc.constant<Line[]>([]),
      fc.array(tie('line'), { maxLength: 2 }),
    ),
    folded: fc.boolean(),
  }),
})).line;
const views: fc.Arbitrary<View> = fc.record({
  allow: fc.boolean(),
  verdict: fc.constantFrom('allow' as const, 'deny' as const),
  rule: hostile,
  reasons: fc.array(hostile, { maxLength: 2 }),
  warning: hostile,
  sections: fc.array(
    fc.record({ title: hostile, lines: fc.array(lines, { maxLength: 3 }), folded: fc.boolean() }),
    { maxLength: 2 },
  ),
});

const tag =
  /<\/?(article|section|header|details|summary|ul|li|h2|h3|p|span|code|strong)( class="[a-z -]+")?( open)?>/g;

test('the markup has only the elements of a picture, whatever the texts are', () => {
  fc.assert(
    fc.property(views, (view) => {
      const rest = markup(pictureOf(view)).replaceAll(tag, '');
      assert.not.match(rest, /[<>"']/);
      assert.not.match(rest, /&(?!amp;|lt;|gt;|quot;|#39;)/);
    }),
  );
});

test('the page runs no script, loads nothing, and escapes what it is about', () => {
  fc.assert(
    fc.property(views, hostile, (view, about) => {
      const page = htmlOf(view, about);
      assert.not.match(page, /<script|<img|<link|<iframe/i);
      assert.match(page, "default-src 'none'");
    }),
    { numRuns: 30 },
  );
});

test('no text of an explanation steers a terminal or turns a line around', () => {
  fc.assert(
    fc.property(hostile, hostile, (text, value) => {
      const tree = [{ text, row: 1, outcome: 'false' as const, values: { [text]: value } }];
      const rule = {
        ...{
          path: 'data.platform.b.reasons',
          name: text,
          kind: 'set' as const,
          file: text,
          row: 1,
        },
        ...{ title: text, outcome: 'true' as const, value, expressions: tree },
      };
      const view = viewOf({
        ...{
          boundary: 'b',
          module: 'authorization',
          allow: false,
          rule: text,
          output: null,
          unknown: [text],
          tree,
        },
        ...{
          reasons: [{ code: text, message: value }],
          why: [rule],
          others: [rule],
          diverges: false,
        },
      });
      for (const shown of textsIn(view)) {
        assert.not.match(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }
      for (const line of textOf(view, true).split('\n')) assert.ok(!line.includes('\r'));
    }),
  );
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('printable text keeps what can be read and shows what cannot', () => {
  assert.is(printable('grün "x" – 界'), 'grün "x" – 界');
  assert.is(printable('a\u001b[31mb\u202ec'), 'a\\u{1b}[31mb\\u{202e}c');
});

test('the deciding branch is open, the rest is folded, and each mark has words', () => {
  const line = (more: Partial<Line>): Line => ({
    ...{ outcome: 'true', kind: 'rule', text: 't', name: '', place: '', values: [], note: '' },
    ...{ children: [], folded: false, ...more },
  });
  const branch = line({ children: [line({ outcome: 'false', kind: 'condition' })] });
  const picture = pictureOf({
    ...{ allow: false, verdict: 'deny', rule: 'r', reasons: [], warning: '' },
    sections: [
      { title: 'a', lines: [branch, { ...branch, folded: true }], folded: false },
      { title: 'b', lines: [branch], folded: true },
    ],
  });
  const opens: (boolean | undefined)[] = [];
  const words: string[] = [];
  const visit = (element: PictureElement): void => {
    if (element.tag === 'details') opens.push(element.open);
    if (element.class === 'words') words.push(String(element.children[0]));
    for (const child of element.children) if (typeof child !== 'string') visit(child);
  };
  visit(picture);
  assert.equal(opens, [true, false, false, true]);
  assert.equal(new Set(words), new Set(['true', 'not true']));
});

test('a very large tree is drawn as far as a browser can lay it out', () => {
  const leaf: Line = {
    ...{ outcome: 'true', kind: 'condition', text: 'x', name: '', place: '', values: [], note: '' },
    ...{ children: [], folded: false },
  };
  const picture = pictureOf({
    ...{ allow: true, verdict: 'allow', rule: 'r', reasons: [], warning: '' },
    sections: [{ title: 's', lines: new Array(20_000).fill(leaf), folded: true }],
  });
  const drawn = markup(picture);
  assert.match(drawn, 'more than can be drawn');
  assert.ok(drawn.match(/<li/g)!.length < 5000);
});

test.run();
