// Keeps a secret whose value comes from where no other process and no history can read it.
import { createReadStream } from 'node:fs';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { UsageError } from '../../options.ts';
import { askHidden } from './prompt.ts';
import type { SecretsRequest } from './request.ts';
import { count, namedScope, pathOf } from './scope.ts';

const valueBytesMax = 64 * 1024;

/** `secrets put`: a new secret or a new version of one. */
export async function putSecret(request: SecretsRequest): Promise<number> {
  const { control, key, values } = request;
  const body: JsonObject = {};
  if (values.check !== undefined) body.check = count(values.check, '--check');
  if (values.expires !== undefined) body.expires_at = expiry(values.expires, new Date());
  const scope = await namedScope(request);
  if (scope === undefined) {
    throw new UsageError('for whom? name --agent tenant/agent, --tenant or --scope');
  }
  body.value = await readValue(key, values.file);
  const path = pathOf(key);
  const kept = await control.call('PUT', path, { ...body, scope });
  const text = values.json
    ? JSON.stringify(kept)
    : `kept ${kept.key} as version ${kept.version} for ${kept.scope}`;
  process.stdout.write(`${text}\n`);
  return 0;
}

async function readValue(key: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return textOf(await readBounded(createReadStream(file)));
  if (process.stdin.isTTY) {
    const value = await askHidden(`value of ${key}: `);
    if (value === '') throw new UsageError('there is no value');
    return value;
  }
  const value = textOf(await readBounded(process.stdin)).replace(/\r?\n$/, '');
  if (value === '') throw new UsageError('standard input gave no value; see also --file');
  return value;
}

async function readBounded(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      // Two more for a line break that does not count.
      if (bytes > valueBytesMax + 2) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`the value cannot be read: ${code}`);
  }
  if (bytes <= valueBytesMax + 2) return Buffer.concat(chunks, bytes);
  throw new PlatformError('secret_too_large', `a value has at most ${valueBytesMax} bytes`);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PlatformError('secret_invalid', 'the value is not UTF-8 text', {
      hint: 'encode it first, for example with base64',
    });
  }
}

const units: Record<string, number> = { m: 60, h: 3600, d: 86_400 };

/** An RFC 3339 time, or so many minutes, hours or days after `now`; RFC 3339 in UTC. */
export function expiry(text: string, now: Date): string {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const time =
    amount === undefined
      ? Date.parse(isTime ? text : '')
      : now.getTime() + Number(amount) * (units[unit] ?? 0) * 1000;
  if (time > now.getTime()) return new Date(time).toISOString();
  throw new UsageError('--expires is a later time such as 2027-01-31T00:00:00Z, or 12h or 30d');
}
