// Takes a secret away, and brings one back.
import type { JsonObject } from '../../../runtime/json.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { UsageError } from '../../options.ts';
import { confirm } from './prompt.ts';
import type { SecretsRequest } from './request.ts';
import { count, pathOf, scopeOf } from './scope.ts';

/** `secrets delete`: asks at a terminal; a purge without one needs `--yes`. */
export async function deleteSecret(request: SecretsRequest): Promise<number> {
  const { control, key, values } = request;
  const purge = values.purge === true;
  if (purge && !values.yes && !process.stdin.isTTY) {
    throw new UsageError('--purge cannot be undone: add --yes');
  }
  const scope = await scopeOf(request);
  if (!values.yes && process.stdin.isTTY) {
    const what = purge ? 'Delete for good, with all versions,' : 'Delete';
    if (!(await confirm(`${what} ${key} of ${scope}?`))) {
      process.stderr.write('nothing was deleted\n');
      return EXIT_FAILED;
    }
  }
  const path = pathOf(key, { scope, ...(purge ? { purge: 'true' } : {}) });
  const deleted = await control.call('DELETE', path);
  const restore = `platform secrets restore ${key} --scope '${scope}'`;
  const done = purge ? `purged ${key}` : `deleted ${key}; to bring it back: ${restore}`;
  process.stdout.write(values.json ? `${JSON.stringify(deleted)}\n` : `${done}\n`);
  return 0;
}

/** `secrets restore`: undeletes, or makes an older version's value the current one. */
export async function restoreSecret(request: SecretsRequest): Promise<number> {
  const { control, key, values } = request;
  const version: JsonObject =
    values.revision === undefined ? {} : { version: count(values.revision, '--revision') };
  const scope = await scopeOf(request);
  const path = pathOf(key, {}, '/restore');
  const restored = await control.call('POST', path, { scope, ...version });
  const text = values.json
    ? JSON.stringify(restored)
    : `restored ${restored.key}, now version ${restored.version}, for ${restored.scope}`;
  process.stdout.write(`${text}\n`);
  return 0;
}
