// A real SPIRE server in a temporary folder, for tests of the Entry API.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../runtime/testing/eventually.ts';
import { spireServer } from '../../../runtime/testing/spire-server.ts';
import type { TestEntryServer } from './entry-server.ts';

const startMs = 60_000;

/**
 * Starts SPIRE over SQLite, with the keys in memory and no agent. Its private socket takes every
 * caller for an administrator; `stop` kills it, as if the machine had failed.
 */
export async function startSpire(trustDomain: string): Promise<TestEntryServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sp-'));
  const adminSocket = join(folder, 'private', 'api.sock');
  const configuration = join(folder, 'server.conf');
  writeFileSync(configuration, configurationOf(folder, trustDomain, await freePort()));
  const words = () => readFileSync(join(folder, 'log'), 'utf8').slice(-2000);
  let process: ChildProcess | undefined;
  const spire: TestEntryServer = {
    adminSocket,
    async start() {
      const started = spawn(spireServer(), ['run', '-config', configuration], {
        stdio: 'ignore',
      });
      process = started;
      await eventually(() => {
        if (started.exitCode !== null) throw new Error(`SPIRE has ended: ${words()}`);
        return existsSync(adminSocket);
      }, startMs);
    },
    async stop() {
      const ended = process && once(process, 'exit');
      process?.kill('SIGKILL');
      await ended;
      process = undefined;
      rmSync(adminSocket, { force: true });
    },
    async remove() {
      await spire.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await spire.start();
  return spire;
}

function configurationOf(folder: string, trustDomain: string, port: number): string {
  return `
    server {
      bind_address = "127.0.0.1"
      bind_port = "${port}"
      trust_domain = "${trustDomain}"
      data_dir = "${folder}"
      socket_path = "${folder}/private/api.sock"
      log_level = "ERROR"
      log_file = "${folder}/log"
    }
    plugins {
      DataStore "sql" {
        plugin_data {
          database_type = "sqlite3"
          connection_string = "${folder}/entries.sqlite3"
        }
      }
      KeyManager "memory" { plugin_data {} }
      NodeAttestor "join_token" { plugin_data {} }
    }`;
}

/** SPIRE does not choose a port itself; no agent of ours ever uses this one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
