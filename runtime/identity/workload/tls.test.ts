// Mutual TLS over loopback with certificates of every kind, right and wrong; nothing is faked but the CA.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  createServer,
  type Server,
  type TLSSocket,
} from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Scope } from '../../modules/scope.ts';
import { moduleBytes } from '../../modules/source.ts';
import { type TestCa, testCa } from '../../testing/certificates.ts';
import {
  clientTlsOptions,
  createTlsIdentity,
  type PeerRules,
  serverTlsOptions,
  type TlsIdentity,
  verifyTlsPeer,
} from './tls.ts';
import type { X509Context, X509Source, X509Svid } from './x509.ts';

const trustDomain = 'platform.local';
const agentId = 'spiffe://platform.local/agent/acme/bot/main';
const gatewayId = 'spiffe://platform.local/service/gateway';
const rules: PeerRules = {
  scope: Scope.create(moduleBytes('scope')),
  trustDomain,
  denied: { isDenied: () => false },
  clock: () => new Date(),
};

/** A source whose context the test sets. */
class SetSource implements X509Source {
  #context: X509Context;
  readonly #listeners = new Set<(context: X509Context) => void>();

  constructor(svids: X509Svid[], bundle: Uint8Array[]) {
    this.#context = { svids, bundles: new Map([[trustDomain, bundle]]) };
  }

  set(svids: X509Svid[], bundle: Uint8Array[]): void {
    this.#context = { svids, bundles: new Map([[trustDomain, bundle]]) };
    for (const listener of this.#listeners) listener(this.#context);
  }

  current(): X509Context {
    return this.#context;
  }

  onChange(listener: (context: X509Context) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  state() {
    return { isConnected: true, updatedAt: new Date() };
  }

  async close(): Promise<void> {}
}

const servers: Server[] = [];
const sockets: TLSSocket[] = [];
let ca: TestCa;
let gateway: TlsIdentity;

function identityOf(svids: X509Svid[], bundle: Uint8Array[] = [ca.certificate]): TlsIdentity {
  return createTlsIdentity({ source: new SetSource(svids, bundle), trustDomain });
}

/** Answers each connection with the client's SPIFFE ID, or the code that it is refused with. */
async function listen(identityFor: (name: string) => TlsIdentity | undefined): Promise<number> {
  const server = createServer(serverTlsOptions(identityFor), (socket) => {
    socket.on('error', () => {});
    try {
      socket.end(verifyTlsPeer(socket, rules).spiffeId);
    } catch (error) {
      socket.end((error as { code: string }).code);
    }
  });
  server.on('tlsClientError', () => {});
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What the server says to a client, or the code that the connection fails with. */
async function ask(port: number, options: () => ConnectionOptions): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ...options() });
  sockets.push(socket);
  let said = '';
  socket.on('secureConnect', () => assert.is(socket.getProtocol(), 'TLSv1.3'));
  socket.on('data', (chunk) => {
    said += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    said = String(error.code);
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

const toGateway = { expectedSpiffeId: gatewayId, servername: 'gateway.platform-system' };

const test = suite('tls');
test.before(async () => {
  ca = await testCa();
  gateway = identityOf([await ca.issue(gatewayId)]);
});
test.after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

test('both ends know each other by SPIFFE ID, over TLS 1.3', async () => {
  const port = await listen(() => gateway);
  const agent = identityOf([await ca.issue(agentId)]);
  assert.is(await ask(port, () => clientTlsOptions(agent, rules, toGateway)), agentId);
});

test('a client speaks to nobody but the expected identity', async () => {
  const port = await listen(() => gateway);
  const agent = identityOf([await ca.issue(agentId)]);
  const other = { ...toGateway, expectedSpiffeId: 'spiffe://platform.local/service/vault' };
  assert.is(await ask(port, () => clientTlsOptions(agent, rules, other)), 'svid_invalid');
});

test('a server takes no client without a certificate of its bundle', async () => {
  const port = await listen(() => gateway);
  const stranger = await testCa();
  const context = identityOf([await stranger.issue(agentId)]);
  const said = await ask(port, () => clientTlsOptions(context, rules, toGateway));
  assert.match(said, /^(ECONNRESET|ERR_SSL_.*|)$/);
  const bare = { rejectUnauthorized: false, servername: 'gateway' };
  assert.match(await ask(port, () => bare), /^(ECONNRESET|ERR_SSL_.*|)$/);
});

test('a client refuses a server of another CA', async () => {
  const stranger = await testCa();
  const impostor = identityOf([await stranger.issue(gatewayId)]);
  const port = await listen(() => impostor);
  const agent = identityOf([await ca.issue(agentId)]);
  const said = await ask(port, () => clientTlsOptions(agent, rules, toGateway));
  assert.match(said, /SELF_SIGNED|UNABLE_TO_/);
});

test('a server name that no service has, and none at all, get no handshake', async () => {
  const port = await listen((name) => (name === 'gateway.platform-system' ? gateway : undefined));
  const agent = identityOf([await ca.issue(agentId)]);
  const other = { ...toGateway, servername: 'vault.platform-system' };
  assert.match(
    await ask(port, () => clientTlsOptions(agent, rules, other)),
    /^(ECONNRESET|ERR_SSL)/,
  );
  const none = { ...toGateway, servername: '' };
  assert.match(
    await ask(port, () => clientTlsOptions(agent, rules, none)),
    /^(ECONNRESET|ERR_SSL)/,
  );
  assert.is(await ask(port, () => clientTlsOptions(agent, rules, toGateway)), agentId);
});

test('TLS 1.2 is refused', async () => {
  const port = await listen(() => gateway);
  const old = { maxVersion: 'TLSv1.2', rejectUnauthorized: false, servername: 'a' } as const;
  assert.match(await ask(port, () => old), /^(ECONNRESET|ERR_SSL)/);
});

test('no session is resumed, so that every connection is verified afresh', async () => {
  const port = await listen(() => gateway);
  const agent = identityOf([await ca.issue(agentId)]);
  const first = connect({ host: '127.0.0.1', port, ...clientTlsOptions(agent, rules, toGateway) });
  const sessions: Buffer[] = [];
  first.on('session', (session) => sessions.push(session));
  first.resume();
  await once(first, 'close');
  for (const session of sessions) {
    const again = { ...clientTlsOptions(agent, rules, toGateway), session };
    assert.is(await ask(port, () => again), agentId);
    assert.not(sockets.at(-1)?.isSessionReused());
  }
});

test('certificates that OpenSSL takes and SPIFFE does not are refused by both ends', async () => {
  const port = await listen(() => gateway);
  const names = [agentId, `${agentId}-2`].map((value) => ({ type: 'url', value }) as const);
  const two = identityOf([await ca.issue(agentId, { names })]);
  assert.is(await ask(port, () => clientTlsOptions(two, rules, toGateway)), 'svid_invalid');
  const agent = identityOf([await ca.issue(agentId)]);
  const twoServer = identityOf([await ca.issue(gatewayId, { names })]);
  const otherPort = await listen(() => twoServer);
  assert.is(await ask(otherPort, () => clientTlsOptions(agent, rules, toGateway)), 'svid_invalid');
});

test('a chain with an intermediate is taken', async () => {
  const intermediate = await ca.intermediate();
  const port = await listen(() => gateway);
  const agent = identityOf([await intermediate.issue(agentId)]);
  assert.is(await ask(port, () => clientTlsOptions(agent, rules, toGateway)), agentId);
});

test('a denied peer is refused in both directions', async () => {
  const port = await listen(() => gateway);
  const denying = { ...rules, denied: { isDenied: (id: string) => id === gatewayId } };
  const agent = identityOf([await ca.issue(agentId)]);
  assert.is(await ask(port, () => clientTlsOptions(agent, denying, toGateway)), 'svid_denied');
});

test('a new context serves the next handshake, during a change of CA too', async () => {
  const next = await testCa();
  const server = new SetSource([await ca.issue(gatewayId)], [ca.certificate]);
  const identity = createTlsIdentity({ source: server, trustDomain });
  const port = await listen(() => identity);
  const late = identityOf([await next.issue(agentId)], [ca.certificate, next.certificate]);
  assert.is.not(await ask(port, () => clientTlsOptions(late, rules, toGateway)), agentId);
  const before = identity.secureContext();
  server.set([await next.issue(gatewayId)], [ca.certificate, next.certificate]);
  assert.is.not(identity.secureContext(), before);
  assert.is(identity.secureContext(), identity.secureContext());
  assert.is(await ask(port, () => clientTlsOptions(late, rules, toGateway)), agentId);
  const early = identityOf([await ca.issue(agentId)], [ca.certificate, next.certificate]);
  assert.is(await ask(port, () => clientTlsOptions(early, rules, toGateway)), agentId);
});

test('without an SVID in force or a bundle there is no context', async () => {
  const svid = await ca.issue(agentId);
  const codeFrom = (identity: TlsIdentity) => {
    try {
      identity.secureContext();
      return 'made';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  assert.is(codeFrom(identityOf([])), 'svid_missing');
  assert.is(codeFrom(identityOf([svid], [])), 'svid_missing');
  const source = new SetSource([svid], [ca.certificate]);
  const other = createTlsIdentity({ source, trustDomain, spiffeId: gatewayId });
  assert.is(codeFrom(other), 'svid_missing');
  let now = svid.notAfter;
  const ageing = createTlsIdentity({ source, trustDomain, clock: () => now });
  assert.is(codeFrom(ageing), 'made');
  now = new Date(svid.notAfter.getTime() + 1);
  assert.is(codeFrom(ageing), 'svid_expired');
});

test.run();
