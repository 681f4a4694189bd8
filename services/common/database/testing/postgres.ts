// Starts a real PostgreSQL 15 in a temporary folder, on a Unix socket only, for tests.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const programs = '/usr/lib/postgresql/15/bin';

export interface TestPostgres {
  url: string;
  /** Stops the server at once, as if the machine had failed. */
  stop(): void;
  start(): void;
  remove(): void;
}

/** Makes a cluster and starts it; a process of root runs it as the user `postgres`. */
export function startPostgres(): TestPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const run = (program: string, args: string[]) =>
    execFileSync(join(programs, program), args, { stdio: 'ignore', cwd: folder, ...owner });
  run('initdb', ['-D', data, '-U', 'platform', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  const options = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off`;
  const server: TestPostgres = {
    url: `postgres://platform@localhost/postgres?host=${encodeURIComponent(folder)}`,
    start: () => run('pg_ctl', ['-D', data, '-w', '-o', options, '-l', '/dev/null', 'start']),
    stop: () => run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']),
    remove() {
      server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  server.start();
  return server;
}

function ownerOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
