// Test of the packed SDK as an agent developer gets it: installed elsewhere, run by plain Node, checked by tsc.

import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBundleKey } from '../../runtime/bundle/keys.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';

const execute = promisify(execFile);
/** Without what an outer npm told its children, which would also reach the inner one. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
);
const run = (file: string, parameters: string[], { cwd }: { cwd: string }) =>
  execute(file, parameters, { cwd, env });
const packageFolder = dirname(fileURLToPath(import.meta.url));
const repository = join(packageFolder, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'sdk-'));
const installed = join(folder, 'node_modules', '@platform', 'sdk');
const wasm = join(installed, 'dist', 'wasm', 'build');

test.before(async () => {
  const pack = ['pack', '--ignore-scripts=false', '--pack-destination', folder];
  await run('npm', pack, { cwd: packageFolder });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"name":"agent","private":true,"type":"module"}');
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', `./${tarball}`];
  await run('npm', install, { cwd: folder });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs JavaScript in the folder that the SDK is installed in; resolves with what it prints. */
async function node(source: string): Promise<string> {
  writeFileSync(join(folder, 'agent.js'), source);
  const { stdout, stderr } = await run(process.execPath, ['agent.js'], { cwd: folder });
  assert.is(stderr, '');
  return stdout.trim();
}

test('it is JavaScript, types and modules, without dependencies', () => {
  assert.equal(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@platform'],
  );
  const files = readdirSync(join(installed, 'dist'), { recursive: true }) as string[];
  assert.ok(files.includes(join('sdk', 'typescript', 'index.js')));
  assert.equal(
    files.filter((name) => /(?<!\.d)\.ts$|\.test\./.test(name)),
    [],
  );
  assert.equal(readdirSync(wasm).toSorted(), [
    'arguments.wasm',
    'digests.json',
    'guard.wasm',
    'record.wasm',
    'scope.wasm',
    'tokens-cl100k.wasm',
    'tokens-o200k.wasm',
  ]);
});

test('an agent runs, and the modules in process answer', async () => {
  const output = await node(`
    import { platformAgent, currentAgent, guard, scope, toolArguments } from '@platform/sdk';
    const agent = platformAgent({ name: 'bot', tenant: 'acme' }, async () => currentAgent().agentName);
    console.log(JSON.stringify([
      await agent(),
      guard.scanPrompt('mail jo@example.com').isValid,
      scope.decide('spiffe://a/b/*', 'spiffe://a/b/c').allow,
      toolArguments.validate({ type: 'string' }, 1).violations.length,
    ]));`);
  assert.equal(JSON.parse(output), ['bot', false, true, 1]);
});

test('each part can be imported by itself', async () => {
  const output = await node(`
    import { GatewayClient } from '@platform/sdk/gateway';
    import * as guard from '@platform/sdk/guard';
    import * as scope from '@platform/sdk/scope';
    import * as args from '@platform/sdk/arguments';
    import { VaultClient } from '@platform/sdk/vault';
    try { await new VaultClient({ baseUrl: 'unix:/nowhere.sock' }).get('a'); }
    catch (error) { console.log(error.name, error.code); }
    try { await new GatewayClient({ baseUrl: 'unix:/nowhere.sock' }).listTools(); }
    catch (error) { console.log(error.name, error.code); }
    console.log(guard.isEnabled(), typeof scope.parse, typeof args.validate);`);
  const unavailable = 'PlatformError service_unavailable';
  assert.is(output, `${unavailable}\n${unavailable}\nfalse function function`);
});

test('a client of a model is wrapped, and its calls have a price', async () => {
  const output = await node(`
    import { platformLlm } from '@platform/sdk';
    import { platformLlm as same } from '@platform/sdk/llm';
    import { existsSync } from 'node:fs';
    try { platformLlm({}); } catch (error) { console.log(error.name); }
    const prices = new URL('../../prices.json', import.meta.resolve('@platform/sdk/llm'));
    console.log(typeof same, existsSync(prices));`);
  assert.is(output, 'ConfigurationError\nfunction true');
});

test('it decides under signed bundles, with the ids of every other host, and refuses others', async () => {
  const bundles = join(folder, 'bundles');
  const { keys, trusted } = await writeSamplePair(bundles);
  writeFileSync(join(folder, 'bundle.pub'), JSON.stringify(keys.publicKey));
  const input = Buffer.from('{"scope":"spiffe://a/b/*","spiffe_id":"spiffe://a/b/c"}');
  const salt = Buffer.alloc(32, 1);
  const ask = `
    import { openDecider } from '@platform/sdk/decisions';
    import { PlatformError } from '@platform/sdk';
    try {
      const decider = await openDecider({ bundles: 'bundles', keys: 'bundle.pub' });
      for (const module of ['scope', 'authorization']) {
        const { id, allow } = decider.decide({
          boundary: 'tool', module,
          input: Buffer.from('${input.toString('base64')}', 'base64'), salt: Buffer.alloc(32, 1),
        });
        console.log(id, allow);
      }
      decider.close();
    } catch (error) { console.log(error instanceof PlatformError, error.code); }`;
  const pair = await loadPair(bundles, trusted);
  const decider = createLocalDecider({ current: () => pair });
  const expected = (['scope', 'authorization'] as const).map((module) => {
    const { id, allow } = decider.decide({ boundary: 'tool', module, input, salt });
    return `${id} ${allow}`;
  });
  assert.is(await node(ask), expected.join('\n'));
  const stranger = await createBundleKey();
  writeFileSync(join(folder, 'bundle.pub'), JSON.stringify(stranger.publicKey));
  assert.is(await node(ask), 'true bundle_signature_invalid');
});

test('a module that is not the packed one is refused', async () => {
  const scan = `
    import { guard } from '@platform/sdk';
    try { guard.scanPrompt('x'); console.log('scanned'); } catch (error) { console.log(error.code); }`;
  const path = join(wasm, 'guard.wasm');
  const bytes = readFileSync(path);
  writeFileSync(path, readFileSync(join(wasm, 'scope.wasm')));
  assert.is(await node(scan), 'module_digest_mismatch');
  writeFileSync(path, bytes);
  assert.is(await node(scan), 'scanned');
  const list = join(wasm, 'digests.json');
  const digests = readFileSync(list);
  rmSync(list);
  assert.is(await node(scan), 'module_missing');
  writeFileSync(list, digests);
});

test('its types check in a strict project', async () => {
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  symlinkSync(
    join(repository, 'node_modules', '@types', 'node'),
    join(folder, 'node_modules', '@types', 'node'),
  );
  symlinkSync(
    join(repository, 'node_modules', 'undici-types'),
    join(folder, 'node_modules', 'undici-types'),
  );
  writeFileSync(
    join(folder, 'agent.ts'),
    `import { type BundleDecider, openDecider } from '@platform/sdk/decisions';
    export const decider: Promise<BundleDecider> = openDecider({ bundles: 'b', keys: 'k' });
    import { GatewayClient, guard, platformAgent, secret, secretsBatch, type ToolResult } from '@platform/sdk';
    const agent = platformAgent({ name: 'bot', tenant: 'acme' }, async (topic: string) => {
      const client: GatewayClient = new GatewayClient();
      const result: ToolResult = await client.callTool('search', { topic });
      return guard.scanOutput(topic, String(result.result)).isValid;
    });
    export const valid: Promise<boolean> = agent('x');
    const connect = secret('password', async (password, port: number) => password.length + port);
    export const size: Promise<number> = connect(1);
    export const both: () => Promise<string> = secretsBatch(['a', 'b'], ([a, b]) => a + b);
    // @ts-expect-error the port is a number
    void connect('1');
    // @ts-expect-error there are two secrets
    secretsBatch(['a', 'b'], ([a, b, c]) => a + b + c);
    // @ts-expect-error the topic is a string
    void agent(1);
    // @ts-expect-error there is no such scanner
    guard.scanPrompt('x', { scanners: ['Nothing'] });`,
  );
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: false }, files: ['agent.ts'] }),
  );
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  const checked = run(process.execPath, [tsc, '-p', folder], { cwd: folder });
  const { stdout } = await checked.catch((error: { stdout: string }) => error);
  assert.is(stdout, '');
});

test.run();
