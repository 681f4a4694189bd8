// Everything around a proxy under test: a CA, identities, services behind it, and clients that speak byte by byte.
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { loadModules } from '../../../runtime/decide/local.ts';
import { certificatesPem, privateKeyPem } from '../../../runtime/identity/workload/pem.ts';
import type { X509Svid } from '../../../runtime/identity/workload/x509.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { type TestCa, testCa } from '../../../runtime/testing/certificates.ts';
import { sampleAgent } from '../../../runtime/testing/sample-data.ts';
import type { InboundService } from '../inbound.ts';
import type { TcpAddress } from '../listen.ts';
import { h2Service, http1Service, type TestService } from './services.ts';
import { contextOf, TestDenied, TestSource } from './source.ts';

export const trustDomain = 'platform.local';
export const agentId = sampleAgent(0);
export const callingServiceId = `spiffe://${trustDomain}/service/caller`;
export const { scope } = loadModules();

export interface World {
  folder: string;
  ca: TestCa;
  /** Its certificates are in nobody's bundle. */
  foreignCa: TestCa;
  agent: X509Svid;
  services: InboundService[];
  /** SVIDs of all services. */
  source: TestSource;
  denied: TestDenied;
  web: TestService;
  grpc: TestService;
  /** Lets `/events` of the first service send its last event. */
  release: () => void;
  lines: JsonObject[];
  close(): Promise<void>;
}

/** Starts the services; `web` speaks HTTP/1.1 and `grpc` HTTP/2, `open` is `web` without a body limit, `mcp` is `web` whose bodies are read. */
export async function createWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-'));
  const [ca, foreignCa] = await Promise.all([testCa(trustDomain), testCa(trustDomain)]);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const paths = { web: join(folder, 'web.sock'), grpc: join(folder, 'grpc.sock') };
  const [web, grpc] = await Promise.all([http1Service(paths.web, released), h2Service(paths.grpc)]);
  const service = (name: string, path: string, protocol: 'http1' | 'h2c'): InboundService => ({
    name,
    spiffeId: `spiffe://${trustDomain}/service/${name}`,
    serverNames: [`${name}.platform-system`],
    upstream: { path },
    protocol,
  });
  const services = [
    service('web', paths.web, 'http1'),
    { ...service('grpc', paths.grpc, 'h2c'), bodyBytes: 0 },
    { ...service('open', paths.web, 'http1'), bodyBytes: 0 },
    service('mcp', paths.web, 'http1'),
  ];
  const svids = await Promise.all(services.map(({ spiffeId }) => ca.issue(spiffeId)));
  return {
    folder,
    ca,
    foreignCa,
    agent: await ca.issue(agentId),
    services,
    source: new TestSource(contextOf(trustDomain, svids, [ca])),
    denied: new TestDenied(),
    web,
    grpc,
    release,
    lines: [],
    async close() {
      await Promise.all([web.close(), grpc.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface ConnectOptions {
  /** Whose certificate is shown; none with `null`, the agent's by default. */
  svid?: X509Svid | null;
  servername?: string;
  alpn?: string[];
  ca?: TestCa;
  maxVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** To be resumed. */
  session?: Buffer;
}

/** A TLS connection to an inbound proxy; rejects when the handshake fails on this side. */
export function connectTls(
  world: World,
  address: TcpAddress,
  options: ConnectOptions = {},
): Promise<TLSSocket> {
  const svid = options.svid === undefined ? world.agent : options.svid;
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...address,
      servername: options.servername ?? 'web.platform-system',
      ca: certificatesPem([(options.ca ?? world.ca).certificate]),
      ...(svid === null
        ? {}
        : { cert: certificatesPem(svid.certificates), key: privateKeyPem(svid.privateKey) }),
      ALPNProtocols: options.alpn ?? ['http/1.1'],
      ...(options.maxVersion === undefined ? {} : { maxVersion: options.maxVersion }),
      session: options.session,
      minVersion: 'TLSv1.2',
      checkServerIdentity: () => undefined,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject).on('error', () => {});
      resolve(socket);
    });
  });
}

/** Writes `parts` and reads until the other side closes; what a failed handshake leaves is ''. */
export async function speak(
  world: World,
  address: TcpAddress,
  parts: (string | Buffer)[],
  options: ConnectOptions = {},
): Promise<string> {
  const socket = await connectTls(world, address, options).catch(() => undefined);
  if (socket === undefined) return '';
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) socket.write(part);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** The same for one request without a body, which also closes the connection. */
export function get(
  world: World,
  address: TcpAddress,
  target: string,
  headers: readonly string[] = [],
  options: ConnectOptions = {},
): Promise<string> {
  const lines = [`GET ${target} HTTP/1.1`, 'host: x', 'connection: close', ...headers];
  return speak(world, address, [`${lines.join('\r\n')}\r\n\r\n`], options);
}

/** An HTTP/2 session to an inbound proxy. */
export async function openHttp2(
  world: World,
  address: TcpAddress,
  options: ConnectOptions = {},
): Promise<ClientHttp2Session> {
  const socket = await connectTls(world, address, { ...options, alpn: ['h2'] });
  const session = connectHttp2('https://x', { createConnection: () => socket });
  session.on('error', () => {});
  return session;
}

/** The JSON after the head of an HTTP/1.1 answer whose body came in one piece. */
export function jsonOf(answer: string): JsonObject {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) as JsonObject;
}

/** Polls until `holds`, at most ten seconds. */
export async function until(holds: () => boolean, what = 'the condition'): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
