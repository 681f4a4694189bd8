// Reports: what they say, that nothing in evidence can become markup, and that they look right in a browser.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditReport, emptyReport } from '../../runtime/evidence/audit/audit.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { readCatalogue } from '../policy/controls/catalogue.ts';
import { ticks, timeLabel } from './chart.ts';
import { titleOf } from './control-titles.ts';
import { cut, grouped, html } from './html.ts';
import { reportDocument } from './json.ts';
import type { AuditFacts } from './model.ts';
import { reportHtml } from './page.ts';

const catalogue = await readCatalogue();
const schema = new URL('../../docs/audit-report.schema.json', import.meta.url);

/** A report in which everything that can be there is; texts are those given. */
function full(text: string, over: Partial<AuditReport> = {}): AuditReport {
  const start = Date.parse('2026-01-30T06:00:00.000Z');
  return {
    ...emptyReport(),
    ...{ log: 'l', origin: text, rows: 1234, checkpoints: 900, root: 'ab'.repeat(32) },
    rowVerdicts: { reproduced: 1230, diverged: 2, undetermined: 2 },
    diverged: [
      {
        ...{ sequence: 7, time: '2026-01-30T07:00:00.000Z', boundary: text, module: text },
        ...{ decisionId: text, verdict: 'diverged', why: text },
        difference: { pointer: text, expected: { [text]: text }, found: undefined },
        reads: [
          { pointer: text, value: text, committed: false, decisive: true },
          { pointer: text, committed: true, decisive: false },
        ],
      },
    ],
    divergedCount: 2,
    undetermined: new Map([[text, 2]]),
    openIntents: 1,
    timeline: Array.from({ length: 240 }, (_, at) => ({
      start: new Date(start + at * 60_000).toISOString(),
      byBoundary: { tool: { allowed: at % 17, denied: at % 3 }, [text]: { allowed: 1, denied: 0 } },
      diverged: at === 60 ? 1 : 0,
      undetermined: at === 9 ? 1 : 0,
    })),
    timelineWidthMs: 60_000,
    ...{ firstTime: '2026-01-30T06:00:00.000Z', lastTime: '2026-01-30T10:00:00.000Z' },
    boundaries: { tool: { allowed: 1900, denied: 240 }, [text]: { allowed: 240, denied: 0 } },
    rules: { [text]: { allowed: 1, denied: 2 } },
    controls: { 'NIST:AC-3': 700, 'SOC2:CC6.1': 12, [text]: 3 },
    gaps: [text],
    ...over,
  } as AuditReport;
}

function facts(text: string): AuditFacts {
  const selection = { tenant: text };
  const manifest = { log: 'l', origin: text, exported: text, rows: 5, size: 9, root: text };
  return {
    ...{ madeAt: new Date('2026-02-01T09:12:00Z'), seconds: 3.41 },
    exported: {
      ...{ schema: 'platform/evidence-export/v1', ...manifest, content: 'selection', selection },
      ...{ bundles: true, openings: false, isSigned: true },
    },
    logKeys: { texts: [text], source: 'beside' },
    bundleKeys: { ids: [text], source: 'given' },
    ...{ keptCheckpoints: 1, openings: 3 },
  };
}

const page = (text: string, over: Partial<AuditReport> = {}) =>
  reportHtml({ report: full(text, over), facts: facts(text), catalogue });

/** The tags of a page; whoever breaks out of a text adds one. */
const tagsOf = (document: string) => [...document.matchAll(/<[a-zA-Z!/][^>]*>/g)].length;

test('no text of evidence becomes markup, or is there unseen', () => {
  const calm = page('x');
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(
      ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'/onload='x", '</style>'],
      ...['</title><b>', '<!--', '&lt;', '\u202egnp.exe', '\u0000\u001b[2J', '\ud800', '$&'],
      ...['__proto__', 'a\u200bb', '\u2028', '</svg>', ']]>', 'javascript:alert(1)'],
    ),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const document = page(text);
      assert.is(tagsOf(document), tagsOf(calm));
      assert.not.match(document, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u);
      assert.not.match(document, /<script|<img|onerror=alert[^;]*>|<!--/);
      assert.ok(document.isWellFormed());
    }),
    { numRuns: 300 },
  );
  assert.match(page('a\u202eb'), 'a⟨U+202E⟩b');
  for (const blank of ['\u3164', '\u115f', '\u034f', '\ufe0f', '\u2800', '\u{e0100}']) {
    assert.not.match(page(`a${blank}b`), blank);
  }
});

test('it loads nothing, runs nothing, and its policy names its own style', () => {
  const document = page('x');
  const style = /<style>([^<]*)<\/style>/.exec(document)![1]!;
  const digest = createHash('sha256').update(style).digest('base64');
  assert.match(
    document,
    `content="default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;;`,
  );
  assert.not.match(document, /<script|<link|<iframe|<img|src=|@import|url\(|style="/);
});

test('it says what was found, in words and numbers', () => {
  const diverged = page('x');
  assert.match(diverged, '<p class="word">Diverged</p>');
  assert.match(diverged, 'and 1 more after these'.replace('a', 'A'));
  assert.match(diverged, '<dt>Decisive input</dt><dd><code>x</code>');
  assert.match(diverged, 'Access Enforcement');
  assert.match(diverged, '<code>CC6.1</code>');
  assert.match(diverged, 'taken from inside the file');
  const good9 = { reproduced: 9, diverged: 0, undetermined: 0 };
  const good = page('x', { rowVerdicts: good9, divergedCount: 0 });
  assert.match(good, '<p class="word">Reproduced</p>');
  const open = page('x', { rowVerdicts: good9, divergedCount: 0, rowsAfterKept: 4 });
  assert.match(open, '<p class="word">Undetermined</p>');
  assert.match(open, 'but 4 follow the newest checkpoint that the auditor kept');
  assert.not.match(open, 'gives the recorded answer byte for byte');
  const crowded = page('x', { rowVerdicts: good9, divergedCount: 0, intentsNotFollowed: 7 });
  assert.match(crowded, '<p class="word">Undetermined</p>');
  assert.match(crowded, 'of 7 intents it was not followed whether their outcome came');
  const tampered = page('x', { tampered: { code: 'evidence_corrupt', message: 'row 3 <b>' } });
  assert.match(tampered, '<p class="word">Tampered with</p>');
  assert.match(tampered, 'row 3 &lt;b&gt; (evidence_corrupt)');
  assert.match(tampered, 'before it are proved');
  const fork = page('x', { tampered: { code: 'x', message: 'y' }, isVouched: false });
  assert.match(fork, 'none of them is proved');
  assert.not.match(fork, 'before it are proved');
  assert.match(
    reportHtml({ report: emptyReport(), facts: { ...facts('x'), exported: undefined }, catalogue }),
    'no rows',
  );
});

test('the JSON report is as its schema says, and every member is in the schema', () => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
    JSON.parse(readFileSync(fileURLToPath(schema), 'utf8')),
  );
  const reports = [
    full('x'),
    full('x', { tampered: { code: 'evidence_corrupt', message: 'x' }, root: undefined }),
    emptyReport(),
  ];
  for (const report of reports) {
    for (const exported of [facts('x').exported, undefined]) {
      const document: Record<string, unknown> = JSON.parse(
        JSON.stringify(reportDocument(report, { ...facts('x'), exported })),
      );
      assert.ok(validate(document), JSON.stringify(validate.errors));
      assert.not.ok(validate({ ...document, verdict: 'fine' }));
      assert.not.ok(validate({ ...document, more: 1 }));
    }
  }
});

test('scales begin at 0, hold the highest value, and have whole steps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e9 }),
      fc.integer({ min: 2, max: 8 }),
      (highest, most) => {
        const marks = ticks(highest, most);
        assert.is(marks[0], 0);
        assert.ok(marks.at(-1)! >= highest);
        assert.ok(marks.length <= most + 2 && marks.length >= 2, marks.join());
        assert.ok(marks.every(Number.isSafeInteger));
      },
    ),
  );
  assert.is(timeLabel(0, 1000), '00:00:00');
  assert.is(timeLabel(0, 9 * 86_400_000), '1970-01-01');
});

test('every control of the catalogue whose text is public has its title', () => {
  const ids = new Set([
    ...Object.keys(catalogue.controls),
    ...Object.values(catalogue.controls).flat(),
  ]);
  for (const id of ids) {
    const isPublic = /^(NIST|FEDRAMP|HIPAA|EUAI):/.test(id);
    assert.is(titleOf(id) !== undefined, isPublic, id);
  }
  assert.is(titleOf('NIST:__proto__'), undefined);
  assert.is(titleOf('__proto__:constructor'), undefined);
});

test('texts are cut between characters, numbers grouped, nothing left out becomes nothing', () => {
  assert.is(cut('a😀b', 2), 'a😀…');
  assert.is(grouped(1234567), '1,234,567');
  assert.is(html`<p>${undefined}${false}${0}</p>`.text, '<p>0</p>');
});

if (needs('chromium')) {
  test('in Chromium it fits a desk and a phone, dark and light, and nothing is refused by its policy', async () => {
    const { chromium } = await import('playwright-core');
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox'],
    });
    try {
      const path = join(folder, 'report.html');
      writeFileSync(path, page(`long-${'x'.repeat(300)}<script>document.title='taken'</script>`));
      for (const [width, colorScheme] of [
        [1200, 'light'],
        [360, 'dark'],
      ] as const) {
        const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        const complaints: string[] = [];
        tab.on('console', (message) => complaints.push(message.text()));
        tab.on('request', (request) => {
          if (!request.url().startsWith('file:')) complaints.push(request.url());
        });
        await tab.goto(pathToFileURL(path).href);
        assert.equal(complaints, []);
        assert.match(await tab.title(), 'diverged');
        assert.is(await tab.evaluate('document.documentElement.scrollWidth'), width);
        const shown = width > 640 ? 'wide' : 'narrow';
        const plots = await tab.locator('svg.plot:visible').all();
        assert.is(plots.length, 2);
        for (const plot of plots) assert.match((await plot.getAttribute('class')) ?? '', shown);
        assert.is(await tab.getByRole('img', { name: 'Decisions over time' }).count(), 1);
        const [ink, paper] = (await tab.evaluate(
          'const s=getComputedStyle(document.querySelector("section")),b=getComputedStyle(document.body);[b.color,s.backgroundColor]',
        )) as string[];
        const isDark = (color: string) => Number(/\d+/.exec(color)![0]) < 100;
        assert.is(isDark(paper!), colorScheme === 'dark');
        assert.is(isDark(ink!), colorScheme === 'light');
        await tab.close();
      }
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
