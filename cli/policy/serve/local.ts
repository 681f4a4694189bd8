// Policies and data of this machine as the server's bundles, taken again whenever they change.
import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { buildDataBundle } from '../../../runtime/bundle/build.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { fingerprintOf } from '../../../runtime/bundle/watch.ts';
import { BundleError } from '../../../runtime/errors.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { BundleKind } from '../../../services/policy/bundle-board.ts';
import type { PolicyService } from '../../../services/policy/service.ts';
import { isBundle } from '../../commands/policy/sources.ts';
import { compileInWorker } from '../../up/compile.ts';
import { followFolders } from '../../up/follow-policies.ts';

const INTERVAL_MS = 1000;

/** Something on this machine that a bundle is made from. */
export interface LocalSource {
  kind: BundleKind;
  read(): Promise<BundleFiles>;
  /** Calls back once to begin with and at every change; returns what ends it. */
  follow(onChange: () => Promise<void>): () => Promise<void>;
  /** Only what these signed is taken; without keys, a file of this machine is trusted. */
  keys?: readonly JWK[];
}

/** Folders of policies, compiled together; `own` is the platform's, which comes first. */
export function folderSource(folders: readonly string[], followed: readonly string[]): LocalSource {
  return {
    kind: 'policy',
    read: async () => (await compileInWorker(folders)).files,
    follow: (onChange) => followFolders(followed, onChange),
  };
}

/** A bundle as `platform policy build` made it. */
export function bundleSource(kind: BundleKind, path: string, keys?: readonly JWK[]): LocalSource {
  return {
    ...{ kind, keys },
    read: () => readBundle(path),
    follow: (onChange) => followPath(path, onChange),
  };
}

/** A `data.json`, or a data bundle. */
export function dataSource(path: string, keys?: readonly JWK[]): LocalSource {
  if (isBundle(path)) return bundleSource('data', path, keys);
  return {
    kind: 'data',
    read: async () => buildDataBundle(await readData(path)).files,
    follow: (onChange) => followPath(path, onChange),
  };
}

async function readData(path: string) {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new BundleError('bundle_missing', `cannot read ${path} as JSON`, { cause });
  }
  if (isJsonObject(value)) return value;
  throw new BundleError('bundle_manifest_invalid', `${path} is not a JSON object`);
}

/**
 * Serves a source from now on: what is bad changes nothing but the board. Resolves after the first
 * look, to what ends it.
 */
export async function serveSource(
  { engine, bundles }: PolicyService,
  source: LocalSource,
  onTrouble: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let looked: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const end = source.follow(async () => {
    bundles.asked(source.kind);
    try {
      const files = await source.read();
      const take = source.kind === 'policy' ? engine.takePolicy : engine.takeData;
      bundles.activated(source.kind, await take.call(engine, files, source.keys));
    } catch (error) {
      bundles.refused(source.kind, error);
      onTrouble(error);
    }
    looked();
  });
  await first;
  return end;
}

function followPath(path: string, onChange: () => Promise<void>): () => Promise<void> {
  let seen: string | undefined;
  let isOver = false;
  let running: Promise<void> = Promise.resolve();
  const look = () => {
    running = running.then(async () => {
      if (isOver) return;
      const now = await fingerprintOf(path);
      if (now === seen) return;
      seen = now;
      await onChange();
    });
  };
  const timer = setInterval(look, INTERVAL_MS);
  look();
  return async () => {
    isOver = true;
    clearInterval(timer);
    await running;
  };
}
