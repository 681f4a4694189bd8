// Node as a host of parity: each input as bytes and, where they can be read, as a value too: node-program.ts FOLDER.
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import { readRequest } from '../../runtime/decide/wire.ts';

/** What a caller can do that honours everything but questions; it does not enter the id, but says what is allowed. */
const HONOURED = [
  'max_bytes',
  'rate',
  'budget',
  'redact',
  'read_body',
  'validate_arguments',
  'scan',
];
const folder = process.argv[2]!;
const pair = await loadPair(folder, await readBundleKeys(join(folder, 'bundle.jwk.pub')));
const decider = createLocalDecider({ current: () => pair });
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

for await (const line of createInterface({ input: process.stdin })) {
  const request = readRequest(JSON.parse(line));
  const decision = decider.decide({ ...request, honours: HONOURED });
  const { id, allow, rule, reason } = decision;
  const isRead = !reason.code.startsWith('input_');
  // Services decide about values; the id is that of the bytes, except where a reader of bytes refuses them.
  const value = isRead
    ? decider.decide({ ...request, input: JSON.parse(decoder.decode(request.input as Uint8Array)) })
    : undefined;
  const said = value ?? decision;
  const plain = { allow: said.allow, rule: said.rule, code: said.reason.code };
  const more = value === undefined || value.id === id ? {} : { valueId: value.id };
  const answer = { id, allow, rule, reason: { code: reason.code }, plain, ...more };
  const text = `${JSON.stringify(answer)}\n`;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
