// What the documentation shows of a command is what the command prints.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { consolePages, rewritten } from './console-pages.ts';

const pages = consolePages();

test('there are pages with commands', () => assert.ok(pages.length >= 8));

for (const page of pages) {
  test(`${page} shows what its commands print`, async () => {
    const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
    assert.is(await rewritten(page), text, 'node scripts/console-pages.ts writes it anew');
  });
}

test.run();
