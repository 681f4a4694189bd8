// `platform guard scan` as people and hooks run it: places, formats, what stays, what is refused, exit codes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleGithubToken } from '../../runtime/testing/tokens.ts';
import { main } from '../platform.ts';
import { fingerprintOf, isLeftOut } from './allowed.ts';
import { Places } from './place.ts';
import { contentOf } from './sources.ts';

const entry = fileURLToPath(new URL('../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'guard-'));
test.after(() => rmSync(root, { recursive: true }));

const token = sampleGithubToken();
const other = sampleGithubToken(2);
let folders = 0;

/** A folder with these files. */
function folder(files: Record<string, string | Buffer>): string {
  const path = join(root, String(folders++));
  mkdirSync(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

interface Ran {
  code: number | null;
  output: string;
  error: string;
}

/** Runs the command in this process, or, where it reads standard input, in one of its own. */
async function guard(cwd: string, argv: string[], input?: string): Promise<Ran> {
  if (input !== undefined) {
    const ran = spawnSync(process.execPath, [entry, 'guard', ...argv], {
      ...{ cwd, input, encoding: 'utf8' },
      env: { ...process.env, NO_COLOR: '1' },
    });
    return { code: ran.status, output: ran.stdout, error: ran.stderr };
  }
  const written = { output: '', error: '' };
  const { stdout, stderr } = process;
  const writes = [stdout.write, stderr.write];
  const folder = process.cwd();
  process.chdir(cwd);
  const into = (name: keyof typeof written) => (text: string) => {
    written[name] += text;
    return true;
  };
  stdout.write = into('output') as typeof stdout.write;
  stderr.write = into('error') as typeof stderr.write;
  try {
    const code = await main(['guard', ...argv]);
    return {
      code,
      output: stripVTControlCharacters(written.output),
      error: stripVTControlCharacters(written.error),
    };
  } finally {
    [stdout.write, stderr.write] = writes as [typeof stdout.write, typeof stderr.write];
    process.chdir(folder);
  }
}

async function scanned(
  cwd: string,
  argv: string[],
): Promise<{ code: number | null; report: JsonObject }> {
  const { code, output, error } = await guard(cwd, ['scan', ...argv, '--json']);
  assert.is.not(output, '', error);
  return { code, report: JSON.parse(output) as JsonObject };
}

const findingsOf = (report: JsonObject) => report.findings as JsonObject[];

test('a finding has its place in characters, a mask, a title and what to do', async () => {
  const here = folder({ 'src/a.ts': `// é 😀\nconst é = '😀'; const key = '${token}';\n` });
  const { code, output } = await guard(here, ['scan', '.']);
  assert.is(code, 1);
  assert.match(output, /^src\/a\.ts:2:29 {2}github_token {2}ghp_\*{8} {2}GitHub token$/m);
  assert.match(output, 'revoke it');
  assert.match(output, '1 finding in 1 file');
  assert.not.ok(output.includes(token));
  assert.not.ok(output.includes(token.slice(0, 12)));
});

test('clean files, standard input, and nothing to scan', async () => {
  const here = folder({ 'a.txt': 'hello', 'b.txt': '' });
  assert.is((await guard(here, ['scan', 'a.txt', 'b.txt'])).code, 0);
  assert.is((await guard(here, ['scan', '-'], 'hello')).code, 0);
  assert.is((await guard(here, ['scan', '-'], `x ${token}`)).code, 1);
  for (const argv of [
    [],
    ['no-such-file'],
    ['.', '--scanners', 'Secret'],
    ['.', '--format', 'xml'],
  ]) {
    const { code, error } = await guard(here, ['scan', ...argv]);
    assert.is(code, 2, argv.join(' '));
    assert.match(error, 'platform guard scan --help');
  }
});

test('binary files are skipped, UTF-16 is read, and what is too large is refused with exit 2', async () => {
  const here = folder({
    'a.bin': Buffer.from([0, 1, 2, ...Buffer.from(token)]),
    'b.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`k ${token}`, 'utf16le')]),
    'c.txt': Buffer.concat([Buffer.from([0xe9, 0x20]), Buffer.from(other)]),
    'node_modules/d.txt': token,
    '.git/e.txt': token,
  });
  const { code, report } = await scanned(here, ['.']);
  assert.is(code, 1);
  assert.equal(
    findingsOf(report).map(({ file }) => file),
    ['b.txt', 'c.txt'],
  );
  assert.is(report.skipped, 1);
  writeFileSync(join(here, 'big.txt'), 'x'.repeat(4 * 1024 * 1024 + 1));
  const refused = await scanned(here, ['.']);
  assert.is(refused.code, 2);
  assert.is((refused.report.refused as JsonObject[])[0]?.file, 'big.txt');
  assert.is(findingsOf(refused.report).length, 2);
});

test('a comment in the line and a fingerprint in the file let a finding stay, and only that one', async () => {
  const here = folder({
    'a.txt': `${token} # platform-guard:allow\n${other}\n`,
    'b.txt': `${other}\n`,
  });
  const first = await scanned(here, ['.']);
  assert.equal(
    findingsOf(first.report).map(({ file, line }) => `${file}:${line}`),
    ['a.txt:2', 'b.txt:1'],
  );
  assert.is(first.report.allowed, 1);
  assert.is((await guard(here, ['scan', 'a.txt', '--write-baseline'])).code, 0);
  const baseline = readFileSync(join(here, '.platform-guard.yaml'), 'utf8');
  assert.not.ok(baseline.includes(other.slice(4)));
  const second = await scanned(here, ['a.txt', 'b.txt']);
  assert.equal(
    findingsOf(second.report).map(({ file }) => file),
    ['b.txt'],
  );
  writeFileSync(join(here, '.platform-guard.yaml'), 'paths: ["b.*"]\nallow: []\n');
  assert.equal(
    findingsOf((await scanned(here, ['a.txt', 'b.txt'])).report).map(({ file }) => file),
    ['a.txt'],
  );
  for (const wrong of [
    'allow: 1',
    'alow: []',
    '- a',
    'allow: [{fingerprint: abc}]',
    '{',
    'paths: [1]',
  ]) {
    writeFileSync(join(here, '.platform-guard.yaml'), wrong);
    assert.is((await guard(here, ['scan', 'a.txt'])).code, 2, wrong);
  }
});

test('more findings than are listed are never taken for none', async () => {
  const lines = Array.from(
    { length: 300 },
    (_, i) => `${sampleGithubToken(i + 1)} # platform-guard:allow`,
  );
  const { code, report } = await scanned(folder({ 'a.txt': lines.join('\n') }), ['.']);
  assert.is(code, 1);
  assert.equal(report.truncated, ['a.txt']);
  assert.is(report.ok, false);
});

test('what is staged is scanned as it would be committed, and only the lines that it adds', async () => {
  const here = folder({ 'old.txt': `${token}\n`, 'clean.txt': 'a\n' });
  const git = (...argv: string[]) => {
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    execFileSync('git', [...author, ...argv], { cwd: here, stdio: 'pipe' });
  };
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  assert.is((await guard(here, ['scan', '--staged'])).code, 0);
  writeFileSync(join(here, 'old.txt'), `${token}\nmore\n`);
  writeFileSync(join(here, 'new é.txt'), `a\nb ${other}\n`);
  writeFileSync(join(here, 'clean.txt'), `a\n${token}\n`);
  git('add', 'old.txt', 'new é.txt');
  const { code, report } = await scanned(here, ['--staged']);
  assert.is(code, 1);
  assert.equal(
    findingsOf(report).map(({ file, line }) => `${file}:${line}`),
    ['new é.txt:2'],
  );
  // What stands in the working tree is not what is committed.
  writeFileSync(join(here, 'new é.txt'), 'a\n');
  assert.is((await guard(here, ['scan', '--staged'])).code, 1);
  assert.is((await guard(root, ['scan', '--staged'])).code, 2);
});

test('no attribute, no odd name and no line that stays keeps what is staged from being found', async () => {
  const fence = (word: string) => `-----${word} RSA PRIVATE KEY-----\n`;
  const body = Buffer.alloc(600, 'A9b7+Zk2').toString('base64').replaceAll(/.{64}/g, '$&\n');
  const here = folder({
    '.gitattributes': '*.env -diff\n',
    'key.pem': fence('BEGIN'),
  });
  const git = (...argv: string[]) => {
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    execFileSync('git', ['--literal-pathspecs', ...author, ...argv], { cwd: here, stdio: 'pipe' });
  };
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const odd = ['a.env', ':(top)x', ':!x', 'b[1]*.txt', '-q', 'new\nline'];
  for (const name of odd) writeFileSync(join(here, name), `${token}\n`);
  writeFileSync(join(here, 'key.pem'), `${fence('BEGIN')}${body}\n${fence('END')}`);
  git('add', '--', ...odd, 'key.pem');
  const { report } = await scanned(here, ['--staged']);
  assert.equal(
    findingsOf(report)
      .map(({ file }) => file)
      .sort(),
    [...odd, 'key.pem'].sort(),
  );
});

test('SARIF is valid by its schema, and points at the same places', async () => {
  const here = folder({
    'with space/é.txt': `a\n ${token} ${other}\n`,
    'big.txt': 'x'.repeat(4194305),
  });
  const { code, output } = await guard(here, ['scan', '.', '--format', 'sarif']);
  assert.is(code, 2);
  const sarif = JSON.parse(output) as { runs: { results: JsonObject[] }[] };
  const load = createRequire(import.meta.url);
  const schema = load('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as JsonObject;
  // Draft 4: what differs from later drafts is the name of the id alone, and one pattern that is no Unicode one.
  const { $schema: _, id: __, ...draft } = schema;
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });
  const isValid = ajv.compile(draft);
  assert.ok(isValid(sarif), JSON.stringify(isValid.errors));
  assert.not.ok(isValid({ ...sarif, version: '2.0.0' }));
  const [first] = sarif.runs[0]!.results;
  const [location] = (first?.locations ?? []) as { physicalLocation: JsonObject }[];
  assert.equal(location?.physicalLocation, {
    artifactLocation: { uri: 'with%20space/%C3%A9.txt' },
    region: { startLine: 2, startColumn: 2, endLine: 2, endColumn: 42 },
  });
  assert.not.ok(output.includes(token));
});

test('rules of one’s own find what they name, and a wrong one says where', async () => {
  const here = folder({
    'a.txt': 'key ACME-12345678\n',
    'rules.yaml': `set: secrets
rules:
  - id: acme_key
    title: Key of Acme
    keywords: [acme-]
    pattern: 'ACME-[0-9]{8}'
`,
    'wrong.yaml': "set: secrets\nrules:\n  - id: x\n    pattern: '('\n",
  });
  const { code, output } = await guard(here, ['scan', 'a.txt', '--rules', 'rules.yaml']);
  assert.is(code, 1);
  assert.match(output, /a\.txt:1:5 {2}acme_key {2}\*{8} {2}Key of Acme/);
  assert.is((await guard(here, ['scan', 'a.txt'])).code, 0);
  const wrong = await guard(here, ['scan', 'a.txt', '--rules', 'wrong.yaml']);
  assert.is(wrong.code, 2);
  assert.match(wrong.error, 'wrong.yaml');
});

test('explain masks values, shows what is below the threshold, and says what it found', async () => {
  const { code, output } = await guard(root, ['explain', '-', '--json'], `my key ${token}`);
  assert.is(code, 1);
  assert.not.ok(output.includes(token));
  const { allow, scanners } = JSON.parse(output) as { allow: boolean; scanners: JsonObject[] };
  assert.is(allow, false);
  const secrets = scanners.find(({ scanner }) => scanner === 'Secrets');
  assert.is(secrets?.found, true);
  assert.is((await guard(root, ['explain', 'hello'])).code, 0);
  assert.is((await guard(root, ['explain'])).code, 2);
});

test('a canary is another word each time', async () => {
  const one = (await guard(root, ['canary'])).output.trim();
  const two = (await guard(root, ['canary'])).output.trim();
  assert.match(one, /^canary-[0-9a-f]{24}$/);
  assert.is.not(one, two);
});

test('the hooks for pre-commit name commands that there are', async () => {
  const hooks = parse(
    readFileSync(join(dirname(entry), '..', '.pre-commit-hooks.yaml'), 'utf8'),
  ) as {
    id: string;
    entry: string;
  }[];
  assert.equal(
    hooks.map(({ entry: command }) => command),
    ['platform guard scan', 'platform guard scan --staged'],
  );
});

test('places count as an editor does, whatever the text', async () => {
  const character = fc.constantFrom('a', 'é', '€', '😀', '\n', '\r\n', '\t', '\u202e');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), fc.nat(30), (parts, at) => {
      const before = parts.slice(0, at).join('');
      const places = new Places(Buffer.from(parts.join('')));
      const lines = before.split('\n');
      const expected = { line: lines.length, column: [...lines.at(-1)!].length + 1 };
      assert.equal(places.of(Buffer.byteLength(before)), expected);
    }),
  );
});

test('whatever bytes a file has, its text is scanned, skipped or refused', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const content = contentOf(Buffer.from(bytes));
      if ('text' in content) assert.ok(content.text.isWellFormed());
      else assert.is('skipped' in content && bytes.includes(0), true);
    }),
  );
});

test('a fingerprint is of one value at one path', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (path, kind, value) => {
      const own = fingerprintOf(path, kind, value);
      assert.is(own, fingerprintOf(path, kind, value));
      assert.is.not(own, fingerprintOf(`${path}x`, kind, value));
      assert.is.not(own, fingerprintOf(path, kind, `${value}x`));
      assert.is.not(fingerprintOf(path, kind + value, ''), fingerprintOf(path, kind, `${value}y`));
    }),
  );
  assert.ok(isLeftOut(['a/**'], 'a/b/c'));
  assert.not.ok(isLeftOut(['a/*'], 'b/a'));
});

test.run();
