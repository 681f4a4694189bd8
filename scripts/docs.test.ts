// The reference pages say what the code says, and every link and command of the docs leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stalePages } from './docs.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const guides = [
  'README.md',
  ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
].filter((file) => file.endsWith('.md'));

test('generated pages are up to date', () => {
  assert.equal(stalePages(), [], 'run npm run docs');
});

for (const guide of guides) {
  const text = readFileSync(join(root, guide), 'utf8');

  test(`${guide}: every relative link leads to a file`, () => {
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)) {
      assert.ok(existsSync(join(root, dirname(guide), target!)), `${guide} links to ${target}`);
    }
  });

  test(`${guide}: every file of the repository that it names in code is there`, () => {
    const named = text.matchAll(
      /`((?:runtime|services|cli|sdk|wasm|policies|bench|scripts|test|examples)\/[\w./-]+\.(?:ts|js|rego|py|json))`/g,
    );
    for (const [, file] of named)
      assert.ok(existsSync(join(root, file!)), `${guide} names ${file}`);
  });

  test(`${guide}: every npm script that it names is there`, () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const [, name] of text.matchAll(/npm run (?:--silent )?([a-z:]+)/g)) {
      assert.ok(name! in scripts, `${guide} names npm run ${name}`);
    }
  });
}

test.run();
