// Follows folders of policies and says when something in them has changed.
import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const intervalMs = 1000;
const filesMax = 4096;

/**
 * Calls `onChange` once to begin with, and after a file below one of the folders appeared, changed or went, within about
 * one second; one call at a time, and again if something changed meanwhile. Returns what stops it.
 */
export function followFolders(
  folders: readonly string[],
  onChange: () => Promise<void>,
): () => Promise<void> {
  let seen: string | undefined;
  let isOver = false;
  let running: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    running = running.then(async () => {
      if (isOver) return;
      const now = await fingerprint(folders);
      if (now === seen) return;
      seen = now;
      await onChange();
    });
    return running;
  };
  // Notices of the file system make it quick where they work; looking is what can be relied on.
  const notices = folders.flatMap((folder) => noticesOf(folder, () => void look()));
  const timer = setInterval(() => void look(), intervalMs);
  timer.unref();
  void look();
  return async () => {
    isOver = true;
    clearInterval(timer);
    for (const notice of notices) notice.close();
    await running;
  };
}

function noticesOf(folder: string, notify: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { recursive: true, persistent: false }, notify);
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

async function fingerprint(folders: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || ['build', 'node_modules'].includes(entry.name)) continue;
      const child = join(path, entry.name);
      if (lines.length >= filesMax) return;
      if (entry.isDirectory()) await visit(child);
      else if (/\.(rego|json)$/.test(entry.name)) lines.push(`${child} ${await changed(child)}`);
    }
  };
  for (const folder of folders) await visit(folder);
  return lines.join('\n');
}

async function changed(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'gone' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}
