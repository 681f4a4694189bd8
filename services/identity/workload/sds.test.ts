// SDS as an Envoy speaks it: names, acknowledgements and refusals of both variants of xDS.
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { type Client, createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SecretSchema } from '../../../runtime/identity/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb.js';
import type {
  DeltaDiscoveryRequest,
  DiscoveryRequest,
  DiscoveryResponse,
} from '../../../runtime/identity/proto/envoy/service/discovery/v3/discovery_pb.js';
import { SecretDiscoveryService } from '../../../runtime/identity/proto/envoy/service/secret/v3/sds_pb.js';
import { failure, grpcTo } from '../testing/identity.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';

const test = suite('SDS');
const gateway = 'spiffe://example.org/service/gateway';
const vault = 'spiffe://example.org/service/vault';
let platform: TestPlatform;
let client: Client<typeof SecretDiscoveryService>;
let entries: string[] = [];

test.before(async () => {
  platform = await startWithAuthority();
  client = createClient(SecretDiscoveryService, grpcTo(platform.workloadSocket));
});
test.after(() => platform.close());
test.before.each(async () => {
  entries = [
    await platform.enter('/service/gateway', ['service:gateway'], { hint: String(Math.random()) }),
    await platform.enter('/service/vault', ['service:vault']),
  ];
});
test.after.each(async () => {
  await platform.entries.batchDeleteEntry({ ids: entries });
});

/** A stream whose requests are sent when the test says so. */
function duplex<Request>() {
  const waiting: Partial<Request>[] = [];
  let wake = () => {};
  let isOver = false;
  return {
    send(request: Partial<Request>) {
      waiting.push(request);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *requests() {
      while (!isOver || waiting.length > 0) {
        const request = waiting.shift();
        if (request !== undefined) yield request as never;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}

function namesIn({ resources }: Pick<DiscoveryResponse, 'resources'>): string[] {
  return resources.map((each) => {
    const secret = anyUnpack(each, SecretSchema);
    return `${secret?.type.case} ${secret?.name}`;
  });
}

test('names are those of SPIRE, and a name that is not the caller’s is refused', async () => {
  const fetch = async (...resourceNames: string[]) =>
    namesIn(await client.fetchSecrets({ resourceNames }));
  assert.equal(await fetch(), [
    'validationContext spiffe://example.org',
    `tlsCertificate ${gateway}`,
    `tlsCertificate ${vault}`,
  ]);
  assert.equal(await fetch('default', vault, 'ROOTCA'), [
    'validationContext ROOTCA',
    'tlsCertificate default',
    `tlsCertificate ${vault}`,
  ]);
  assert.equal(await fetch('ALL', 'spiffe://example.org'), [
    'validationContext spiffe://example.org',
    'validationContext ALL',
  ]);
  assert.is(
    await failure(fetch('spiffe://example.org/z', gateway, 'other')),
    'InvalidArgument: workload is not authorized for the requested identities ["other" "spiffe://example.org/z"]',
  );
  const many = Array.from({ length: 129 }, (_, index) => `n${index}`);
  assert.match(await failure(fetch(...many)), /^ResourceExhausted/);
  const { resources } = await client.fetchSecrets({ resourceNames: [gateway] });
  const secret = resources[0] && anyUnpack(resources[0], SecretSchema);
  if (secret?.type.case !== 'tlsCertificate') throw new Error('no certificate');
  const pem = (part: typeof secret.type.value.privateKey) =>
    Buffer.from(part?.specifier.value as Uint8Array).toString();
  assert.match(pem(secret.type.value.certificateChain), /^-----BEGIN CERTIFICATE-----\n/);
  assert.match(pem(secret.type.value.privateKey), /^-----BEGIN PRIVATE KEY-----\n/);
});

test('a stream answers a new list of names, takes ACK and NACK, and pushes what is new', async () => {
  const stream = duplex<DiscoveryRequest>();
  const answers = client.streamSecrets(stream.requests())[Symbol.asyncIterator]();
  stream.send({ resourceNames: [gateway] });
  const first = (await answers.next()).value as DiscoveryResponse;
  assert.equal([first.versionInfo, namesIn(first)], ['1', [`tlsCertificate ${gateway}`]]);
  const ack = { versionInfo: first.versionInfo, responseNonce: first.nonce };
  stream.send({ ...ack, resourceNames: [gateway] });
  // Of an answer to something older nothing is believed, nor is it answered.
  stream.send({ resourceNames: [vault], responseNonce: 'older' });
  stream.send({ ...ack, resourceNames: [gateway, 'ROOTCA'] });
  const second = (await answers.next()).value as DiscoveryResponse;
  assert.equal(
    [second.versionInfo, namesIn(second)],
    ['2', ['validationContext ROOTCA', `tlsCertificate ${gateway}`]],
  );
  const errorDetail = {
    $typeName: 'google.rpc.Status' as const,
    code: 3,
    message: 'bad',
    details: [],
  };
  const nack = { versionInfo: '1', responseNonce: second.nonce, errorDetail };
  stream.send({ ...nack, resourceNames: [gateway, 'ROOTCA'] });
  await platform.authority.rotateNow('x509');
  const third = (await answers.next()).value as DiscoveryResponse;
  assert.is(third.versionInfo, '3');
  assert.is(third.resources.length, 2);
  assert.ok(
    platform.events.some(({ kind, reason }) => kind === 'trouble' && reason?.endsWith(': bad')),
  );
  await platform.entries.batchDeleteEntry({ ids: entries });
  const ended = await failure(
    (async () => {
      while (!(await answers.next()).done);
    })(),
  );
  assert.match(ended, /^(PermissionDenied: no identity issued|InvalidArgument: workload is not)/);
});

test('a stream that only ends its requests gets the last answer first', async () => {
  const stream = duplex<DiscoveryRequest>();
  stream.send({ resourceNames: ['default'] });
  stream.end();
  const seen = [];
  for await (const answer of client.streamSecrets(stream.requests())) seen.push(...namesIn(answer));
  assert.equal(seen, ['tlsCertificate default']);
});

test('the delta stream sends what changed, and only that', async () => {
  const stream = duplex<DeltaDiscoveryRequest>();
  const answers = client.deltaSecrets(stream.requests())[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await answers.next();
    return value.resources.map((each: { name: string }) => each.name);
  };
  stream.send({ resourceNamesSubscribe: [gateway, 'ROOTCA'] });
  assert.equal(await next(), ['ROOTCA', gateway]);
  stream.send({ resourceNamesSubscribe: [vault] });
  assert.equal(await next(), [vault]);
  stream.send({ resourceNamesUnsubscribe: ['ROOTCA'] });
  await platform.entries.batchUpdateEntry({
    entries: [{ id: entries[1] ?? '', hint: 'new' }],
    inputMask: { hint: true },
  });
  assert.equal(await next(), [vault]);
  stream.send({ resourceNamesUnsubscribe: [gateway, vault] });
  stream.send({ resourceNamesSubscribe: [vault] });
  assert.equal(await next(), [vault], 'who has let go of every name does not get everything');
  stream.end();
  assert.ok((await answers.next()).done);

  const all = duplex<DeltaDiscoveryRequest>();
  all.send({});
  all.end();
  const everything = [];
  for await (const { resources } of client.deltaSecrets(all.requests())) {
    everything.push(...resources.map((each) => each.name));
  }
  assert.equal(everything, ['spiffe://example.org', gateway, vault]);
});

test.run();
