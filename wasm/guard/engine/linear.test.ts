// Shows that the work of the shipped rules grows with the text alone, and how far the worst texts are from others.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { readRules } from '../compiler/rules-read.ts';
import { shippedRules } from '../compiler/rules-section.ts';

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  scan(pointer: number, length: number): number;
  platform_budget: WebAssembly.Global<'i32'>;
  platform_steps: WebAssembly.Global<'i32'>;
}

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes('guard')), {});
const guard = exports as unknown as Exports;

/** The steps that the rules for credentials take for a text. */
function stepsFor(text: string): number {
  const request = { direction: 'input', scanners: ['Secrets'], text };
  const json = new TextEncoder().encode(JSON.stringify(request));
  const pointer = guard.reserve(json.length);
  new Uint8Array(guard.memory.buffer).set(json, pointer);
  assert.is(guard.scan(pointer, json.length), 0);
  return guard.platform_budget.value - guard.platform_steps.value;
}

const keywords = readRules(shippedRules())
  .filter(({ set }) => set === 'secrets')
  .flatMap((rule) => rule.keywords);
/** The keywords in an order that meets each with many others. */
const mixed = keywords.map((_, index) => keywords[(index * 7919) % keywords.length]!);

const hostile: Record<string, string> = {
  letters: 'a',
  'all keywords': `${mixed.join(' ')} `,
  'all keywords without a space': mixed.join(''),
  'keywords with values': mixed.map((word) => `${word} = ${'0a1b2c3d'.repeat(4)}\n`).join(''),
  passwords: 'password=',
  keys: 'api_key:',
  'what begins a token': 'ghp_',
  'what begins a private key': '-----BEGIN PRIVATE KEY-----\n',
  addresses: 'https://a:b@c ',
};
/** Four MiB of a text must not use up the steps of a scan. */
const STEPS_A_BYTE = 470;
const BYTES = 200_000;

for (const [name, part] of Object.entries(hostile)) {
  test(`takes work in proportion to the text: ${name}`, () => {
    const text = part.repeat(Math.ceil((2 * BYTES) / part.length)).slice(0, 2 * BYTES);
    const short = stepsFor(text.slice(0, BYTES));
    const long = stepsFor(text);
    assert.ok(long <= short * 2.2, `${short} steps, then ${long}`);
    assert.ok(long <= 2 * BYTES * STEPS_A_BYTE, `${(long / (2 * BYTES)).toFixed(0)} steps a byte`);
  });
}

test.run();
