// The playground as a person uses it, in Debian's Chromium: what it decides is what every other host decides.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { compileSources, readPolicies } from '../../../runtime/bundle/compile.ts';
import { joined, readPolicy } from '../../../runtime/bundle/load.ts';
import { POLICIES } from '../../../runtime/bundle/testing.ts';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { DECISION_TAG } from '../../../runtime/decide/decide.ts';
import { createLocalDecider, loadModules } from '../../../runtime/decide/local.ts';
import { readRequest } from '../../../runtime/decide/wire.ts';
import { exportOpenings } from '../../../runtime/evidence/openings.ts';
import type { RowDecision } from '../../../runtime/evidence/row.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { sampleAgent } from '../../../runtime/testing/sample-data.ts';
import {
  DEFAULT,
  edit,
  REFUSAL,
  settled,
  startPlayground,
  type TestPlayground,
} from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'platform-playground-'));
const test = suite('playground');
let playground: TestPlayground;
let page: Page;

/** The id of a decision whose fields anybody may have written. */
function idOf(decision: Omit<RowDecision, 'id'>): string {
  const { record } = loadModules();
  const { boundary, module, policy_revision, data_revision, input, output } = decision;
  return record.framedHex([
    ...[DECISION_TAG, boundary, module, policy_revision, data_revision],
    ...[input, output].map((value) => record.canonicalizeValue(value)),
  ]);
}

test.before(async () => {
  playground = await startPlayground(folder);
  page = await playground.open();
});
test.after(async () => {
  await playground.close();
  rmSync(folder, { recursive: true, force: true });
});

async function textOf(selector: string): Promise<string> {
  return (await page.locator(selector).textContent()) ?? '';
}

async function source(): Promise<string> {
  return page.locator('#policy textarea').inputValue();
}

const editPolicy = (text: string) => edit(page, text);

async function run(): Promise<string> {
  await page.locator('#run').click();
  return settled(page);
}

async function choose(boundary: string): Promise<void> {
  await page.locator('#boundary').selectOption(boundary);
}

/** The input that the page has for a boundary, as a decision recorded here for some agents. */
async function recordSample(boundary: string, agents: readonly number[]) {
  await choose(boundary);
  const sample = JSON.parse(await page.locator('#input textarea').inputValue()) as JsonObject;
  return agents.map((number) => {
    const spiffe_id = sampleAgent(number);
    const input = { ...sample, identity: { ...(sample.identity as JsonObject), spiffe_id } };
    const salt = Buffer.alloc(32, number);
    const request = { boundary: boundary as 'tool', module: 'authorization' as const, input, salt };
    return playground.record(request, spiffe_id);
  });
}

test('says what it verified, and decides as Node does, with the same id', async () => {
  assert.match(await textOf('#state'), 'Verified');
  assert.equal(await page.locator('#boundary option').allTextContents(), [...BOUNDARIES]);
  for (const boundary of ['tool', 'exchange', 'mesh', 'deploy']) {
    await choose(boundary);
    assert.is(await page.locator('#file-title').textContent(), `${boundary}/${boundary}.rego`);
    assert.is(await run(), 'Ready', boundary);
    const wire = JSON.parse((await page.locator('#wire').textContent()) ?? '');
    const expected = playground.decider.decide(readRequest(wire));
    assert.is(await page.locator('#decision-id').textContent(), expected.id, boundary);
    assert.is(
      await page.locator('#decision .verdict-word').textContent(),
      expected.allow ? 'Allow' : 'Deny',
    );
    assert.is(await page.locator('#violations li').count(), 0, boundary);
    assert.ok((await page.locator('#picture .tree').count()) > 0, boundary);
    assert.ok((await page.locator('#coverage tbody tr').count()) > 0, boundary);
  }
});

test('marks the lines that decided', async () => {
  await choose('secret');
  await run();
  const decided = await page.locator('#policy .line.decided').allTextContents();
  const others = await page.locator('#policy .line:is(.true, .false)').count();
  assert.ok(decided.length > 0 && others > 0);
});

test('an edited policy decides otherwise, under the revision that Node gives it', async () => {
  await choose('console');
  await run();
  assert.is(await page.locator('#decision .verdict-word').textContent(), 'Allow');
  const own = await source();
  await editPolicy(own.replace(DEFAULT, REFUSAL));
  assert.is(await run(), 'Ready');
  assert.is(await page.locator('#decision .verdict-word').textContent(), 'Deny');
  assert.match(await textOf('#decision'), 'platform.console.closed');
  assert.match(await textOf('#decision'), 'allow, platform.console.granted');

  const sources = await readPolicies(POLICIES);
  const files = sources.files.map((file) =>
    file.path === 'console/console.rego'
      ? { ...file, content: file.content.replace(DEFAULT, REFUSAL) }
      : file,
  );
  const draft = buildPolicyBundle(await compileSources({ ...sources, files }));
  const pair = await joined({ ...playground.pair, policy: await readPolicy(draft.files) });
  const wire = JSON.parse((await page.locator('#wire').textContent()) ?? '');
  const expected = createLocalDecider({ current: () => pair }).decide(readRequest(wire));
  assert.is(await page.locator('#decision-id').textContent(), expected.id);

  await page.locator('#revert').click();
  assert.is(await source(), own);
  await run();
  assert.is(await page.locator('#decision .verdict-word').textContent(), 'Allow');
});

test('edited data decides too, and data that is no JSON shows its place', async () => {
  await choose('console');
  await page.locator('#files summary', { hasText: 'data in force' }).click();
  await page.locator('#files .file', { hasText: 'data.json' }).click();
  const own = await source();
  await editPolicy(JSON.stringify({ ...JSON.parse(own), operators: {} }, null, 2));
  assert.is(await run(), 'Ready');
  assert.match(await textOf('#decision'), 'platform.console.unknown_operator');
  await editPolicy(own.replace('"agents": {', '"agents" {'));
  assert.match(await run(), 'does not compile');
  assert.is(await page.locator('#policy .line.wrong .number').textContent(), '2');
  await page.locator('#revert').click();
});

test('a broken policy shows its error at the line', async () => {
  await choose('console');
  await page.locator('#files .file', { hasText: 'console.rego' }).click();
  const own = await source();
  const broken = own.replace('count(reasons) == 0', 'count(reasonz) == 0');
  const row = broken.split('\n').findIndex((line) => line.includes('reasonz')) + 1;
  await editPolicy(broken);
  assert.match(await run(), 'does not compile');
  assert.is(await page.locator('#policy .line.wrong .number').textContent(), String(row));
  assert.match(await textOf('#findings'), `console/console.rego:${row}`);
  assert.is(await page.locator('#policy textarea').getAttribute('aria-invalid'), 'true');
  await page.locator('#revert').click();
});

test('a recorded decision is reproduced, a tampered one diverges, a committed one needs its opening', async () => {
  const [secret] = await recordSample('secret', [5]);
  const [tool] = await recordSample('tool', [0]);
  await page.locator('#tab-replay').click();
  const replay = async (text: string): Promise<string[]> => {
    await page.locator('#recorded').fill(text);
    await page.locator('#replay button[type=submit]').click();
    await settled(page);
    return page.locator('#replayed .verdict-word').allTextContents();
  };
  assert.equal(await replay(JSON.stringify(secret!.decision)), ['reproduced']);
  const tampered = structuredClone(secret!.decision);
  (tampered.output as JsonObject).allow = !(tampered.output as JsonObject).allow;
  const rows = [{ decisions: [tampered] }, { decisions: [secret!.decision] }];
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  assert.equal(await replay(lines), ['diverged', 'reproduced']);
  assert.match(await textOf('#replayed'), '/id');

  const committed = JSON.stringify(tool!.decision);
  assert.match(committed, '$commitment');
  const openings = new Map(tool!.openings.map((opening, at) => [String(at), opening]));
  const before = await replay(committed);
  await page.locator('#replay summary').click();
  await page.locator('#openings').fill(exportOpenings(openings));
  assert.equal(await replay(committed), ['reproduced']);
  assert.ok(['reproduced', 'undetermined'].includes(before[0] ?? ''));

  // Names that a forged row brings are no part of an address; its id is right.
  const { id: _, ...forged } = {
    ...secret!.decision,
    policy_revision: '../decisions?boundary=tool#',
  };
  const id = idOf(forged);
  const seen = playground.drafts.length;
  assert.equal(await replay(JSON.stringify({ ...forged, id })), ['undetermined']);
  assert.match(await textOf('#replayed'), 'policy bundle is not kept');
  const asked = playground.drafts.slice(seen).map(({ subject }) => subject.console);
  assert.ok(
    asked.every((name) => name === 'playground-bundle'),
    asked.join(),
  );

  assert.equal(await replay('{"not":"a row"}'), []);
  assert.match(await textOf('#state'), 'no decision');
  await page.locator('#recorded-id').fill(secret!.decision.id);
  await page.locator('#recorded-fetch').click();
  await settled(page);
  assert.equal(await page.locator('#replayed .verdict-word').allTextContents(), ['reproduced']);
});

test('shows which recorded decisions a change would flip, by agent and rule', async () => {
  const recorded = await recordSample('browse', [0, 0, 8, 9]);
  const allowed = recorded.filter(({ decision }) => (decision.output as JsonObject).allow === true);
  await page.locator('#tab-flips').click();
  const compare = async (): Promise<string[]> => {
    await page.locator('#compare button').click();
    assert.is(await settled(page), 'Ready');
    return page.locator('#flips .counts dd').allTextContents();
  };
  assert.equal(await compare(), ['4', '0', '4', '0']);
  await editPolicy((await source()).replace(DEFAULT, REFUSAL));
  const [all, flips] = await compare();
  assert.is(all, '4');
  assert.ok(Number(flips) >= allowed.length && allowed.length > 0);
  const groups = (await page.locator('#flips table').first().textContent()) ?? '';
  assert.match(groups, 'agent-0/main');
  assert.match(groups, 'deny closed');
  await page.locator('#revert').click();
});

test('runs by keyboard alone, and lets nobody be caught in an editor', async () => {
  const fresh = await playground.open();
  const focused = () => fresh.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await fresh.locator('#boundary').focus();
  await fresh.keyboard.type('console');
  const seen: (string | null | undefined)[] = [];
  for (let presses = 0; presses < 60 && !seen.at(-1)?.startsWith('Source of'); presses++) {
    await fresh.keyboard.press('Tab');
    seen.push(await focused());
  }
  assert.is(seen.at(-1), 'Source of console/console.rego');
  const before = await fresh.locator('#policy textarea').inputValue();
  await fresh.keyboard.press('Tab');
  assert.is(await focused(), 'Source of console/console.rego');
  assert.is((await fresh.locator('#policy textarea').inputValue()).length, before.length + 1);
  await fresh.keyboard.press('ControlOrMeta+z');
  await fresh.keyboard.press('Escape');
  await fresh.keyboard.press('Tab');
  assert.is.not(await focused(), 'Source of console/console.rego');
  await fresh.keyboard.press('Control+Enter');
  assert.is(await settled(fresh), 'Ready');
  assert.is(await fresh.locator('#decision .verdict-word').textContent(), 'Allow');
  await fresh.locator('#tab-decision').focus();
  await fresh.keyboard.press('ArrowRight');
  assert.ok(await fresh.locator('#panel-replay').isVisible());
  await fresh.context().close();
});

test('fits a phone, and every control has a name', async () => {
  const phone = await playground.open(360, 740);
  await phone.locator('#run').click();
  await settled(phone);
  for (const tab of ['tab-replay', 'tab-flips', 'tab-decision']) {
    await phone.locator(`#${tab}`).click();
    const spare = await phone.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.is(spare, 0, tab);
  }
  const nameless = await phone.evaluate(() => {
    const controls = 'a, button, input, select, textarea, summary, [role=tab], [tabindex="0"]';
    return Array.from(document.querySelectorAll<HTMLElement>(controls))
      .filter((control) => {
        const { labels } = control as HTMLInputElement;
        const label = labels?.[0]?.textContent ?? control.textContent;
        return (control.getAttribute('aria-label') ?? label ?? '').trim() === '';
      })
      .map((control) => control.outerHTML);
  });
  assert.equal(nameless, []);
  await phone.context().close();
});

test('gives no data without the token, and leaves a row of what was seen', async () => {
  const stranger = await playground.open(800, 600, 'a-guess');
  assert.match((await stranger.locator('#state').textContent()) ?? '', 'open the address');
  assert.is(await stranger.locator('#boundary option').count(), 0);
  await stranger.context().close();
  playground.complaints.length = 0;
  const names = new Set(playground.drafts.map(({ subject }) => subject.console));
  for (const name of ['playground', 'playground-bundle', 'playground-decision']) {
    assert.ok(names.has(name), name);
  }
  const authorization = `Bearer ${'playground-test'}`;
  for (const path of ['decisions/xyz', 'decisions?boundary=nowhere', 'bundles/x', 'objects/1']) {
    const url = `${playground.origin}/api/v1/playground/${path}`;
    assert.is((await fetch(url, { headers: { authorization } })).status, 400, path);
    assert.is((await fetch(url)).status, 401, path);
  }
});

test('loads nothing from elsewhere and nothing that its policy refuses', async () => {
  const { headers } = await fetch(`${playground.origin}/playground`);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, "default-src 'none'");
  assert.match(policy, "script-src 'self' 'wasm-unsafe-eval'");
  assert.not.match(policy, /unsafe-inline|'unsafe-eval'|http|\*/);
  const asked: string[] = [];
  const fresh = await playground.open();
  fresh.context().on('request', (request) => asked.push(request.url()));
  await fresh.locator('#run').click();
  await settled(fresh);
  await fresh.context().close();
  assert.ok(asked.every((url) => url.startsWith(playground.origin)));
  assert.equal(playground.complaints, []);
});

if (needs('chromium')) test.run();
