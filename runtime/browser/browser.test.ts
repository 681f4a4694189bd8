// The decider in Debian's Chromium: the same ids as here, the same refusals, and bundles held to their signatures.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readBundle } from '../bundle/files.ts';
import { createBundleKey } from '../bundle/keys.ts';
import { loadPair } from '../bundle/load.ts';
import type { BundleFiles } from '../bundle/reader.ts';
import { writeSamplePair } from '../bundle/testing.ts';
import { createLocalDecider } from '../decide/local.ts';
import { answerOf, type DecisionAnswer } from '../decide/wire.ts';
import { moduleBytes } from '../modules/source.ts';
import { needs } from '../testing/needs.ts';
import { sampleData } from '../testing/sample-data.ts';
import { type SampleRequest, sampleRequests } from '../testing/sample-requests.ts';
import { NO_SALTS, NOT_BASE64 } from '../testing/wire-requests.ts';
import type { BrowserDeciderConfig, createBrowserDecider } from './index.ts';
import { deciderPage, startChromium } from './testing.ts';

const COUNT = 600;
const SEED = Number(process.env.PLATFORM_SEED ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'platform-browser-'));

const test = suite('browser');
let browser: Browser;
let page: Page;
let policy: Files;
let data: Files;
let trusted: JWK[];

type Files = [name: string, base64: string][];
/** What a page is given: bytes as base64, which a browser reads by itself. */
interface Given {
  policy: Files;
  data: Files;
  keys?: readonly JWK[];
}

const names = ['record', 'scope', 'arguments', 'guard'] as const;
const modules = names.map((name): [string, string] => [name, base64(moduleBytes(name))]);

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function listed(files: BundleFiles): Files {
  return [...files].map(([name, bytes]) => [name, base64(bytes)]);
}

/** Makes a decider in the page; resolves to its revisions, or to the code of what is wrong. */
function create(given: Given): Promise<string> {
  return page.evaluate(
    async ([{ policy, data, keys }, modules]) => {
      const files = (list: Files) =>
        new Map(
          list.map(([name, text]) => [name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]),
        );
      const { platformDecider } = globalThis as never as {
        platformDecider: { createBrowserDecider: typeof createBrowserDecider };
      };
      try {
        const decider = await platformDecider.createBrowserDecider({
          policy: files(policy),
          data: files(data),
          modules: Object.fromEntries(files(modules)) as BrowserDeciderConfig['modules'],
          keys,
        });
        Object.assign(globalThis, { decider });
        return `${decider.policyRevision} ${decider.dataRevision}`;
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    },
    [given, modules] as const,
  );
}

/** Decides in the page; what is no request is answered with the code of its error. */
function decide(requests: unknown[]): Promise<(DecisionAnswer | string)[]> {
  return page.evaluate((requests) => {
    const { decider } = globalThis as never as {
      decider: Awaited<ReturnType<typeof createBrowserDecider>>;
    };
    return requests.map((request) => {
      try {
        return decider.decide(request);
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    });
  }, requests);
}

function wire(request: SampleRequest) {
  return {
    boundary: request.boundary,
    module: request.module,
    input: base64(request.input),
    salt: Buffer.from(request.salt).toString('hex'),
    ...(request.schema && { schema: base64(request.schema) }),
  };
}

test.before(async () => {
  ({ trusted } = await writeSamplePair(folder, { data: sampleData(220) }));
  policy = listed(await readBundle(join(folder, 'policy')));
  data = listed(await readBundle(join(folder, 'data')));
  browser = await startChromium();
  page = await deciderPage(browser);
});
test.after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the same requests have the same ids, rules and reasons as here', async () => {
  const pair = await loadPair(folder, trusted);
  const decider = createLocalDecider({ current: () => pair });
  const requests = sampleRequests(COUNT, SEED);
  const expected = requests.map((request) => answerOf(decider.decide(request)));
  assert.is(
    await create({ policy, data, keys: trusted }),
    `${pair.policy.revision} ${pair.data.revision}`,
  );
  const found = await decide(requests.map(wire));
  found.forEach((answer, index) => {
    assert.equal(answer, expected[index], JSON.stringify(wire(requests[index]!)));
  });
  assert.ok(expected.some(({ allow }) => allow) && expected.some(({ allow }) => !allow));
});

test('bundles that were not signed by a key that is trusted, or not as they are, are refused', async () => {
  const { publicKey } = await createBundleKey();
  assert.is(await create({ policy, data, keys: [publicKey] }), 'bundle_signature_invalid');
  const changed: Files = data.map(([name, text]) =>
    name === 'data.json' ? [name, base64(Buffer.from('{}'))] : [name, text],
  );
  assert.is(await create({ policy, data: changed, keys: trusted }), 'bundle_signature_invalid');
  assert.is(await create({ policy, data: changed }), 'bundle_revision_mismatch');
  assert.is(await create({ policy: data, data, keys: trusted }), 'bundle_signature_invalid');
});

test('a module that the bundle does not list is not run', async () => {
  const [name, text] = modules[3]!;
  const bytes = Buffer.from(text, 'base64');
  modules[3] = [name, base64(Buffer.concat([bytes, Buffer.of(0, 1, 0)]))];
  try {
    assert.is(await create({ policy, data, keys: trusted }), 'bundle_module_digest_mismatch');
  } finally {
    modules[3] = [name, text];
  }
});

test('what is no request is refused, and a request that cannot be read is a deny with an id', async () => {
  await create({ policy, data, keys: trusted });
  const salt = '0'.repeat(64);
  const [none, shortSalt, broken] = await decide([
    { boundary: 'nowhere', module: 'authorization', input: '', salt },
    { boundary: 'tool', module: 'authorization', input: '', salt: '00' },
    {
      boundary: 'tool',
      module: 'authorization',
      input: base64(Buffer.from('{"a":1,"a":2}')),
      salt,
    },
  ]);
  assert.is(none, 'input_invalid');
  assert.is(shortSalt, 'input_invalid');
  const { allow, reason, id } = broken as DecisionAnswer;
  assert.is(allow, false);
  assert.is(reason.code, 'input_duplicate_key');
  assert.match(id, /^[0-9a-f]{64}$/);
  const good = { boundary: 'tool', module: 'scope', input: 'e30=', salt };
  const wrong = [
    ...NOT_BASE64.flatMap((text) => [{ input: text }, { schema: text }]),
    ...NO_SALTS.map((text) => ({ salt: text })),
  ].map((change) => ({ ...good, ...change }));
  assert.equal(
    await decide(wrong),
    wrong.map(() => 'input_invalid'),
  );
  const [taken] = await decide([good]);
  assert.match((taken as DecisionAnswer).id, /^[0-9a-f]{64}$/);
});

if (needs('chromium')) test.run();
