// The policy compiler in the worker: loaded when it is first needed, and run only under its digest.

import { provideFile } from '../../../../runtime/browser/node/fs.ts';
import { RegoCompiler } from '../../../../runtime/modules/rego.ts';
import type { Overview, Platform } from './platform.ts';

const MEGABYTE = 1 << 20;

let loading: Promise<RegoCompiler> | undefined;

/**
 * The compiler that the platform's own is, by its digest; and the engine that compiled policies run on.
 * @throws ModuleError where the bytes are not those
 */
export function loadCompiler(
  platform: Platform,
  { compiler }: Overview,
  onProgress: (text: string) => void,
): Promise<RegoCompiler> {
  loading ??= load(platform, compiler, onProgress).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(
  platform: Platform,
  { digest, bytes: total }: Overview['compiler'],
  onProgress: (text: string) => void,
): Promise<RegoCompiler> {
  const shown = Math.round(total / MEGABYTE);
  const [compiler, engine] = await Promise.all([
    platform.file(`/playground/compiler.wasm?${digest}`, (bytes) =>
      onProgress(`Loading the policy compiler, ${Math.round(bytes / MEGABYTE)} of ${shown} MB`),
    ),
    platform.file('/playground/engine.wasm'),
  ]);
  onProgress('Checking the digest of the policy compiler');
  provideFile('engine.wasm', engine);
  provideFile('compiler.wasm.sha256', Buffer.from(digest));
  provideFile(`rego-${digest}.wasm`, compiler);
  return RegoCompiler.load();
}
