// Who may ask for decisions: named callers over mutual TLS, whoever reaches the socket, and how large a question is.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import {
  Authorization,
  CheckRequestSchema,
  type CheckResponse,
} from '../../runtime/identity/proto/envoy/service/auth/v3/external_auth_pb.js';
import { certificatesPem, privateKeyPem } from '../../runtime/identity/workload/pem.ts';
import { type CertificateShape, testCa } from '../../runtime/testing/certificates.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../runtime/testing/sample-data.ts';
import { readConfig } from './config.ts';
import { createCheck } from './ext-authz.ts';
import { type ExtAuthzServer, startExtAuthz } from './ext-authz-server.ts';
import { extAuthzRoutes } from './ext-authz-wire.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';

const test = suite('ext_authz server');
const trustDomain = SAMPLE_TRUST_DOMAIN;
const PROXY = `spiffe://${trustDomain}/service/envoy`;
const folder = mkdtempSync(join(tmpdir(), 'authz-'));
const path = (name: string) => join(folder, name);
const ca = await testCa(trustDomain);
const own = await ca.issue(`spiffe://${trustDomain}/service/policy`);
writeFileSync(path('own.pem'), certificatesPem(own.certificates));
writeFileSync(path('own.key'), privateKeyPem(own.privateKey));
writeFileSync(path('trust.pem'), certificatesPem([ca.certificate]));
const service = await startService({ policy: await policyBundle(), data: dataBundle() });
const { engine, modules } = service;
const routes = extAuthzRoutes(createCheck({ engine, modules, trustDomain }));
const servers: ExtAuthzServer[] = [];

const start = async (config: Omit<Parameters<typeof startExtAuthz>[0], 'routes'>) => {
  const server = await startExtAuthz({ ...config, routes });
  servers.push(server);
  return server;
};
const tls = {
  ...{ certificateFile: path('own.pem'), keyFile: path('own.key') },
  ...{ trustFile: path('trust.pem'), callers: [PROXY] },
};
const secured = await start({ listen: { host: '127.0.0.1', port: 0 }, tls });
const { port } = secured.address as { port: number };

const question = create(CheckRequestSchema, {
  attributes: {
    source: { principal: sampleAgent(1) },
    request: {
      http: { headerMap: { headers: [{ key: ':method', rawValue: Buffer.from('GET') }] } },
    },
    contextExtensions: { service: 'vault' },
  },
});

/** A client over mutual TLS; without an identity it shows no certificate. */
async function clientOf(
  identity?: string,
  change: Partial<CertificateShape> = {},
): Promise<Client<typeof Authorization>> {
  const svid = identity === undefined ? undefined : await ca.issue(identity, change);
  const shown = svid && {
    cert: certificatesPem(svid.certificates),
    key: privateKeyPem(svid.privateKey),
  };
  const nodeOptions = {
    ...{ ca: certificatesPem([ca.certificate]), checkServerIdentity: () => undefined },
    ...shown,
  };
  const baseUrl = `https://127.0.0.1:${port}`;
  return createClient(Authorization, createGrpcTransport({ baseUrl, nodeOptions }));
}

const outcomeOf = (call: Promise<CheckResponse>) =>
  call.then(
    ({ httpResponse }) => httpResponse.case,
    (error: unknown) => Code[ConnectError.from(error).code],
  );

test('a proxy that is named gets answers', async () => {
  assert.is(await outcomeOf((await clientOf(PROXY)).check(question)), 'okResponse');
});

test('nobody else does: other identities, two names, no certificate, another CA', async () => {
  const uris = (...values: string[]) => ({
    names: values.map((value) => ({ type: 'url' as const, value })),
  });
  const strangers = [
    await clientOf(sampleAgent(1)),
    await clientOf(`${PROXY}/x`),
    await clientOf(PROXY, uris(PROXY, sampleAgent(1))),
    await clientOf(PROXY, uris(sampleAgent(1), PROXY)),
    await clientOf(PROXY, {
      names: [{ type: 'dns', value: 'envoy.test' }],
      subject: `CN=${PROXY}`,
    }),
    await clientOf(),
  ];
  for (const stranger of strangers) {
    assert.not.equal(await outcomeOf(stranger.check(question)), 'okResponse');
  }
});

test('a socket is for its owner and group, and a question over the limit is refused', async () => {
  const socket = path('policy.sock');
  await start({ listen: { path: socket } });
  assert.is(statSync(socket).mode & 0o777, 0o660);
  const transport = createGrpcTransport({ baseUrl: 'http://x', nodeOptions: { path: socket } });
  const client = createClient(Authorization, transport);
  assert.is(await outcomeOf(client.check(question)), 'okResponse');
  const large = create(CheckRequestSchema, {
    attributes: { request: { http: { rawBody: new Uint8Array(2 << 20) } } },
  });
  assert.is(await outcomeOf(client.check(large)), 'ResourceExhausted');
  // What says nothing at all is no allowed request.
  assert.is(await outcomeOf(client.check({})), 'deniedResponse');
  const second = await start({ listen: { path: socket } }).catch(codeOf);
  assert.is(second, 'address_in_use');
});

test('beyond loopback the configuration asks for certificates and callers', () => {
  const environment = {
    POLICY_BUNDLE_URL: 'https://bundles.example.com/policy.tar.gz',
    BUNDLE_KEYS_FILE: '/keys.json',
  };
  const files = {
    EXT_AUTHZ_CERTIFICATE_FILE: '/own.pem',
    EXT_AUTHZ_KEY_FILE: '/own.key',
    EXT_AUTHZ_TRUST_FILE: '/trust.pem',
    EXT_AUTHZ_CALLERS: `${PROXY},${PROXY}/x`,
  };
  const read = (more: object) => readConfig({ ...environment, ...more }).extAuthz;
  assert.is(read({}), undefined);
  assert.equal(read({ EXT_AUTHZ_ADDRESS: ':9191' }), {
    listen: { host: '127.0.0.1', port: 9191 },
    tls: undefined,
  });
  const full = read({ EXT_AUTHZ_ADDRESS: '0.0.0.0:9191', ...files });
  assert.equal(full?.tls?.callers, [PROXY, `${PROXY}/x`]);
  const wrong = [
    { EXT_AUTHZ_ADDRESS: '0.0.0.0:9191' },
    { EXT_AUTHZ_ADDRESS: 'nonsense' },
    files,
    { EXT_AUTHZ_ADDRESS: '0.0.0.0:9191', ...files, EXT_AUTHZ_CALLERS: undefined },
    { EXT_AUTHZ_ADDRESS: '127.0.0.1:9191', EXT_AUTHZ_KEY_FILE: '/own.key' },
  ];
  for (const more of wrong) {
    assert.throws(
      () => read(more),
      (error: unknown) => codeOf(error) === 'configuration_invalid',
      JSON.stringify(more),
    );
  }
});

test.after(async () => {
  for (const server of servers) await server.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});
test.run();
