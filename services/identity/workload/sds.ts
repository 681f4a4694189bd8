// Envoy's Secret Discovery Service (xDS v3): certificates and validation contexts by name, as SPIRE gives them.
import { randomBytes } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { SecretSchema } from '../../../runtime/identity/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb.js';
import type {
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequest,
  DiscoveryResponseSchema,
} from '../../../runtime/identity/proto/envoy/service/discovery/v3/discovery_pb.js';
import type { SecretDiscoveryService } from '../../../runtime/identity/proto/envoy/service/secret/v3/sds_pb.js';
import type { X509Svid } from '../../../runtime/identity/workload/x509.ts';
import type { Entry } from '../entries/entry.ts';
import type { OnIdentityEvent } from '../events.ts';
import { bundleVersion, identitiesOf, svidVersion } from './identities.ts';
import { Inbox } from './inbox.ts';
import { privateKeyPem, toPem } from './pem.ts';
import type { WorkloadApiConfig } from './workload-api.ts';

type Response = MessageInitShape<typeof DiscoveryResponseSchema>;
type DeltaResponse = MessageInitShape<typeof DeltaDiscoveryResponseSchema>;

export interface SdsConfig extends WorkloadApiConfig {
  onEvent: OnIdentityEvent;
}

/** One secret as it is now; `version` differs when its contents do. */
interface Named {
  name: string;
  version: string;
  secret: MessageInitShape<typeof SecretSchema>;
}

const secretType = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';
const defaultSvidName = 'default';
const defaultBundleName = 'ROOTCA';
const allBundlesName = 'ALL';
const namesMax = 128;

/**
 * `StreamSecrets`, `DeltaSecrets` and `FetchSecrets`. A name is a SPIFFE ID of the caller or
 * `default` (its first one) for a certificate, and the trust domain's ID, `ROOTCA` or `ALL` for the
 * validation context; without names everything is sent. A name that is not the caller's ends the
 * call with INVALID_ARGUMENT, a caller without identity with PERMISSION_DENIED.
 */
export function sds(config: SdsConfig): ServiceImpl<typeof SecretDiscoveryService> {
  const { workloads } = config;

  return {
    async fetchSecrets(request, context) {
      const entries = await workloads.entriesOf(workloads.attest(context));
      const names = namesOf(request.resourceNames);
      const secrets = await secretsFor(config, names, entries);
      refuseMissing(names, secrets);
      return { typeUrl: secretType, resources: secrets.map(({ secret }) => pack(secret)) };
    },

    async *streamSecrets(requests, context) {
      const inbox = new Inbox(requests, context.signal);
      const state = new StateOfTheWorld();
      const build = async (entries: Entry[]) => {
        for (const request of inbox.take()) report(state.receive(request));
        const names = state.names;
        if (names === undefined) return { value: undefined, version: 'unasked' };
        const secrets = await secretsFor(config, names, entries);
        refuseMissing(names, secrets);
        const version = JSON.stringify([[...names], secrets.map((each) => each.version)]);
        return { value: secrets, version };
      };
      const call = inbox.context(context);
      const updates = workloads.follow(call, 'StreamSecrets', build, inbox.listen);
      for await (const secrets of updates) {
        if (secrets !== undefined) yield state.respond(secrets);
      }
    },

    async *deltaSecrets(requests, context) {
      const inbox = new Inbox(requests, context.signal);
      const state = new Delta();
      const build = async (entries: Entry[]) => {
        for (const request of inbox.take()) report(state.receive(request));
        const secrets = await secretsFor(config, state.names, entries, state.isForAll);
        refuseMissing(state.names, secrets);
        const response = state.difference(secrets);
        return { value: response, version: state.version };
      };
      const call = inbox.context(context);
      const updates = workloads.follow(call, 'DeltaSecrets', build, inbox.listen);
      for await (const response of updates) {
        if (response !== undefined) yield response;
      }
    },
  };

  function report(trouble: string | undefined): void {
    if (trouble === undefined) return;
    config.onEvent({ kind: 'trouble', reason: `Envoy refused a secret: ${trouble}` });
  }
}

/** The secrets of the caller's `entries` that are named; all of them where nothing is. */
async function secretsFor(
  { issuer, cache }: WorkloadApiConfig,
  names: ReadonlySet<string>,
  entries: Entry[],
  isAll = names.size === 0,
): Promise<Named[]> {
  const found: Named[] = [];
  const bundle = issuer.x509Bundle();
  const trustDomainId = `spiffe://${issuer.trustDomain}`;
  for (const name of [trustDomainId, defaultBundleName, allBundlesName]) {
    const isWanted = names.has(name) || (isAll && name === trustDomainId);
    if (isWanted) found.push(validationContext(name, bundle));
  }
  const isNamed = (entry: Entry, index: number) =>
    isAll || names.has(entry.spiffeId) || (index === 0 && names.has(defaultSvidName));
  const wanted = entries.filter(isNamed);
  const { svids } = await identitiesOf(cache, wanted);
  const first = entries[0];
  const seen = new Set<string>();
  for (const [index, svid] of svids.entries()) {
    if (wanted[index] === first && names.has(defaultSvidName)) {
      found.push(certificate(defaultSvidName, svid));
    }
    // Two entries may give one SPIFFE ID: a name stands for one secret, that of the older.
    if (seen.has(svid.spiffeId) || !(isAll || names.has(svid.spiffeId))) continue;
    seen.add(svid.spiffeId);
    found.push(certificate(svid.spiffeId, svid));
  }
  return found;
}

/** The variant of xDS that sends everything each time: one list of names, a version, a nonce. */
class StateOfTheWorld {
  names: ReadonlySet<string> | undefined;
  #version = 0;
  #nonce = '';

  /** Takes an ACK, a NACK or a new list of names; returns what Envoy refused, if so. */
  receive(request: DiscoveryRequest): string | undefined {
    // An answer to what is no longer the newest response says nothing about that one.
    if (this.#nonce !== '' && request.responseNonce !== this.#nonce) return undefined;
    this.names = namesOf(request.resourceNames);
    return request.errorDetail?.message.slice(0, 500);
  }

  respond(secrets: readonly Named[]): Response {
    this.#version += 1;
    this.#nonce = randomBytes(8).toString('hex');
    return {
      versionInfo: String(this.#version),
      nonce: this.#nonce,
      typeUrl: secretType,
      resources: secrets.map(({ secret }) => pack(secret)),
    };
  }
}

/** The variant of xDS that sends only what changed. */
class Delta {
  readonly names = new Set<string>();
  /** Only whoever has never named anything gets everything, not who has let go of all names. */
  isForAll = false;
  readonly #sent = new Map<string, string>();
  #isAsked = false;
  #responses = 0;

  /** Differs when there is something to send. */
  get version(): string {
    return String(this.#responses);
  }

  receive(request: DeltaDiscoveryRequest): string | undefined {
    const isFirst = !this.#isAsked;
    if (isFirst) {
      for (const [name, version] of Object.entries(request.initialResourceVersions)) {
        this.#sent.set(name, version);
      }
    }
    this.#isAsked = true;
    for (const name of namesOf(request.resourceNamesUnsubscribe)) {
      this.names.delete(name);
      this.#sent.delete(name);
    }
    for (const name of namesOf(request.resourceNamesSubscribe)) this.names.add(name);
    if (this.names.size > namesMax) throw tooMany();
    this.isForAll = this.names.size === 0 && (this.isForAll || isFirst);
    return request.errorDetail?.message.slice(0, 500);
  }

  difference(secrets: readonly Named[]): DeltaResponse | undefined {
    if (!this.#isAsked) return undefined;
    const changed = secrets.filter(({ name, version }) => this.#sent.get(name) !== version);
    const present = new Set(secrets.map(({ name }) => name));
    const removed = [...this.#sent.keys()].filter((name) => !present.has(name));
    if (changed.length === 0 && removed.length === 0 && this.#responses > 0) return undefined;
    for (const { name, version } of changed) this.#sent.set(name, version);
    for (const name of removed) this.#sent.delete(name);
    this.#responses += 1;
    return {
      systemVersionInfo: this.version,
      nonce: randomBytes(8).toString('hex'),
      typeUrl: secretType,
      resources: changed.map(({ name, version, secret }) => ({
        ...{ name, version, resource: pack(secret) },
      })),
      removedResources: removed,
    };
  }
}

function namesOf(names: readonly string[]): Set<string> {
  if (names.length > namesMax) throw tooMany();
  return new Set(names.filter((name) => name !== ''));
}

function tooMany(): ConnectError {
  return new ConnectError(`more than ${namesMax} names`, Code.ResourceExhausted);
}

function refuseMissing(names: ReadonlySet<string>, secrets: readonly Named[]): void {
  const found = new Set(secrets.map(({ name }) => name));
  const missing = [...names].filter((name) => !found.has(name)).sort();
  if (missing.length === 0) return;
  const shown = missing.map((name) => JSON.stringify(name.slice(0, 256))).join(' ');
  throw new ConnectError(
    `workload is not authorized for the requested identities [${shown}]`,
    Code.InvalidArgument,
  );
}

function validationContext(name: string, bundle: readonly Uint8Array[]): Named {
  return {
    name,
    version: bundleVersion(bundle),
    secret: {
      name,
      type: {
        case: 'validationContext',
        value: { trustedCa: inline(toPem('CERTIFICATE', bundle)) },
      },
    },
  };
}

const certificates = new WeakMap<X509Svid, ReturnType<typeof certificateOf>>();

/** Written as PEM once an SVID, since every stream asks each second whether it has a new one. */
function certificate(name: string, svid: X509Svid): Named {
  const type = certificates.get(svid) ?? certificateOf(svid);
  certificates.set(svid, type);
  return { name, version: svidVersion(svid), secret: { name, type } };
}

function certificateOf(svid: X509Svid) {
  return {
    case: 'tlsCertificate' as const,
    value: {
      certificateChain: inline(toPem('CERTIFICATE', svid.certificates)),
      privateKey: inline(privateKeyPem(svid)),
    },
  };
}

function inline(text: string) {
  return { specifier: { case: 'inlineBytes' as const, value: Buffer.from(text) } };
}

function pack(secret: MessageInitShape<typeof SecretSchema>) {
  return anyPack(SecretSchema, create(SecretSchema, secret));
}
