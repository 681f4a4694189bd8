// Rotates the vault's master key and shows how far the rewrapping of data keys has come.
import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { SecretsRequest } from './request.ts';

const askEveryMs = 250;

/** `secrets rotate`: begins, then waits for the end; interrupting it does not stop the rotation. */
export async function rotateMasterKey({ control, values }: SecretsRequest): Promise<number> {
  let progress = await control.call('POST', '/api/v1/secrets/rotate-master-key', {});
  const watch = process.stderr.isTTY && !values.json;
  while (progress.state === 'running') {
    if (watch) process.stderr.write(`\r${stateText(progress)}   `);
    await sleep(askEveryMs);
    progress = await control.call('GET', '/api/v1/secrets/rotation');
  }
  if (watch) process.stderr.write('\r\u001b[K');
  if (progress.state !== 'idle' || progress.failed !== 0) {
    throw new PlatformError(
      'secret_corrupt',
      `not every secret was rewrapped: ${stateText(progress)}`,
      {
        data: progress,
        hint: 'the old master key stays in use for the rest; the log of the platform says why',
      },
    );
  }
  const done = `master key ${progress.master_key} is in force; ${stateText(progress)}`;
  process.stdout.write(values.json ? `${JSON.stringify(progress)}\n` : `${done}\n`);
  return 0;
}

function stateText({ rewrapped, remaining, failed }: JsonObject): string {
  return `${rewrapped} versions rewrapped, ${remaining} left, ${failed} failed`;
}
