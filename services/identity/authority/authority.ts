// The signing authority of a trust domain: X.509 CA, token keys and deny-list over one database.
import { setTimeout as sleep } from 'node:timers/promises';
import { IdentityError, PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import { Scope } from '../../../runtime/modules/scope.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { Route } from '../../common/http/port.ts';
import { bundleJwks, oidcJwks } from './bundles.ts';
import { DenyList, requireRoom } from './denied.ts';
import { Issuer, noKey, ttlSecondsMax } from './issue.ts';
import type { KeyEvent } from './keyring.ts';
import { makeOidcRoutes, requireIssuer } from './oidc.ts';
import type { Authority, AuthorityConfig, AuthorityEvent, AuthorityState } from './port.ts';
import { createSealer, type Sealer } from './seal.ts';
import { AuthorityStore, type KeyKind } from './store.ts';
import { Upkeep } from './upkeep.ts';
import { validateJwtSvid } from './validate.ts';

export type { Authority, AuthorityConfig, AuthorityEvent } from './port.ts';

/**
 * Opens the authority of a trust domain; makes its first keys where the database holds none. Throws
 * `configuration_invalid` for a trust domain that is none and for a key-encryption key other than the
 * one that sealed this trust domain's keys, `identity_unavailable` for a key row that was changed, and
 * the database's errors.
 */
export async function createAuthority(config: AuthorityConfig): Promise<Authority> {
  const scope = config.scope ?? Scope.create(moduleBytes('scope'));
  requireTrustDomain(config.trustDomain, scope);
  const sealer = createSealer(config.keyEncryptionKey);
  const store = new AuthorityStore(config.database, config.trustDomain);
  await requireRightKey(store, sealer, config.trustDomain);
  const authority = new SigningAuthority(config, { scope, sealer, store });
  await authority.start();
  return authority;
}

interface Parts {
  scope: Pick<Scope, 'parse'>;
  sealer: Sealer;
  store: AuthorityStore;
}

class SigningAuthority implements Authority {
  readonly trustDomain: string;
  readonly denied: DenyList;
  readonly #config: AuthorityConfig;
  readonly #parts: Parts;
  readonly #clock: () => Date;
  readonly #caTtlMs: number;
  readonly #upkeep: Upkeep;
  readonly #listeners = new Set<(event: KeyEvent) => void>();
  readonly #issuer: Issuer;

  constructor(config: AuthorityConfig, parts: Parts) {
    this.trustDomain = config.trustDomain;
    this.#config = config;
    this.#parts = parts;
    this.#clock = config.clock ?? (() => new Date());
    this.#caTtlMs = config.caTtlMs ?? 24 * 3_600_000;
    this.denied = new DenyList(config.trustDomain, this.#clock);
    this.#upkeep = new Upkeep({
      ...{ trustDomain: config.trustDomain, store: parts.store, sealer: parts.sealer },
      ...{ clock: this.#clock, denied: this.denied, ttlMs: this.#caTtlMs },
      pollMs: config.pollMs ?? 500,
      publishAheadMs: config.publishAheadMs ?? 1000,
      onEvent: (event) => this.#keyChanged(event),
      emit: (event) => this.#emit(event),
    });
    this.#issuer = new Issuer({
      ...{ trustDomain: config.trustDomain, upkeep: this.#upkeep, denied: this.denied },
      ...{ clock: this.#clock, svidTtlMs: config.svidTtlMs ?? 3_600_000 },
      jwtTtlMs: config.jwtTtlMs ?? 300_000,
      requireOwnId: (spiffeId) => this.#requireOwnId(spiffeId),
    });
  }

  async start(): Promise<void> {
    await this.#upkeep.refresh();
    this.#upkeep.start();
  }

  issueX509(request: Parameters<Authority['issueX509']>[0]) {
    return this.#issuer.issueX509(request);
  }

  issueJwt(request: Parameters<Authority['issueJwt']>[0]) {
    return this.#issuer.issueJwt(request);
  }

  issueWit(request: Parameters<Authority['issueWit']>[0]) {
    return this.#issuer.issueWit(request);
  }

  validateJwt(token: string, audience: string) {
    return validateJwtSvid(token, audience, {
      ...{ trustDomain: this.trustDomain, scope: this.#parts.scope, denied: this.denied },
      findKey: (kid) => this.#upkeep.keyring.find('jwt', kid),
      now: this.#clock().getTime() / 1000,
    });
  }

  x509Bundle(): Uint8Array[] {
    return this.#upkeep.keyring.published('x509').map((key) => Uint8Array.from(key.publicPart));
  }

  jwtBundle() {
    return bundleJwks(this.#upkeep.keyring.published('jwt'), 'jwt-svid');
  }

  witBundle() {
    return bundleJwks(this.#upkeep.keyring.published('wit'), 'wit-svid');
  }

  oidcRoutes({ issuer }: { issuer: string }): Route[] {
    requireIssuer(issuer);
    if ((this.#issuer.issuerUrl ?? issuer) !== issuer) {
      throw new PlatformError('configuration_invalid', 'a trust domain has one issuer');
    }
    this.#issuer.issuerUrl = issuer;
    // A third of a key's life lies between its publication and its first signature.
    const maxAgeSeconds = Math.floor(Math.min(300, this.#caTtlMs / 1000 / 6));
    const keys = () => oidcJwks(this.#upkeep.keyring.published('jwt'));
    return makeOidcRoutes(issuer, keys, maxAgeSeconds);
  }

  async deny(spiffeId: string): Promise<{ issuedBefore: number }> {
    this.#requireOwnId(spiffeId);
    return this.#upkeep.change(async () => {
      const second = Math.floor(this.#clock().getTime() / 1000);
      const issuedBefore = Math.max(second, this.#issuer.issuedUpTo) + 1;
      const forgetAt = (issuedBefore + ttlSecondsMax + backdateSeconds) * 1000;
      const one = { spiffeId, issuedBefore, forgetAt };
      const denial = await this.#parts.store.deny(one, requireRoom);
      this.#upkeep.wrote(denial.version);
      this.denied.add(denial.denySequence, denial.denied);
      this.#emit({ type: 'denied', spiffeId, issuedBefore: denial.denied.issuedBefore });
      if (this.denied.isFull()) this.#emit({ type: 'deny_list_full' });
      return { issuedBefore: denial.denied.issuedBefore };
    });
  }

  denyList(): string {
    const key = this.#upkeep.keyring.active('jwt');
    if (key === undefined) throw noKey('jwt');
    return this.denied.signedWith(key);
  }

  onBundleChange(listener: (event: KeyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onDenyChange(listener: () => void): () => void {
    return this.denied.onChange(listener);
  }

  async rotateNow(kind: 'x509' | 'jwt'): Promise<void> {
    const { keyring } = this.#upkeep;
    const kinds: KeyKind[] = kind === 'x509' ? ['x509'] : ['jwt', 'wit'];
    await this.#upkeep.refresh();
    const publish = async () => {
      const next = [];
      for (const each of kinds) next.push({ kind: each, ...(await keyring.publishNext(each)) });
      return next;
    };
    const next = await this.#upkeep.change(publish);
    if (next.some(({ isNew }) => isNew)) await sleep(this.#config.publishAheadMs ?? 1000);
    await this.#upkeep.change(async () => {
      for (const { kind, id } of next) await keyring.activate(kind, id);
    });
  }

  refresh(): Promise<void> {
    return this.#upkeep.refresh();
  }

  state(): AuthorityState {
    const { keyring } = this.#upkeep;
    const factsOf = (kind: KeyKind) => {
      const active = keyring.active(kind)?.id;
      return keyring.published(kind).map((key) => ({
        ...{ id: key.id, isActive: key.id === active, preparedAt: new Date(key.preparedAt) },
        ...{ activatesAt: new Date(key.activatesAt), expiresAt: new Date(key.expiresAt) },
      }));
    };
    const keys = { x509: factsOf('x509'), jwt: factsOf('jwt'), wit: factsOf('wit') };
    const denied = this.denied.facts();
    return { trustDomain: this.trustDomain, keys, denied, ...this.#upkeep.state() };
  }

  close(): Promise<void> {
    return this.#upkeep.close();
  }

  #requireOwnId(spiffeId: string): void {
    const { trustDomain, path } = this.#parts.scope.parse(spiffeId);
    if (trustDomain !== this.trustDomain) {
      throw new IdentityError('svid_foreign', 'the SPIFFE ID is of another trust domain');
    }
    if (path.length === 0) {
      throw new IdentityError('spiffe_id_invalid', 'the trust domain itself is no workload');
    }
  }

  #keyChanged(event: KeyEvent): void {
    this.#emit({ type: 'key', ...event });
    for (const listener of [...this.#listeners]) listener(event);
  }

  #emit(event: AuthorityEvent): void {
    this.#config.onEvent?.(event);
  }
}

function requireTrustDomain(trustDomain: string, scope: Pick<Scope, 'parse'>): void {
  try {
    const parsed = scope.parse(`spiffe://${trustDomain}`);
    if (parsed.trustDomain === trustDomain && parsed.path.length === 0) return;
  } catch (cause) {
    throw new PlatformError('configuration_invalid', 'the trust domain is not valid', { cause });
  }
  throw new PlatformError('configuration_invalid', 'the trust domain is not valid');
}

/** Never makes new keys beside those that it cannot read. */
async function requireRightKey(
  store: AuthorityStore,
  sealer: Sealer,
  trustDomain: string,
): Promise<void> {
  const context = ['identity_authorities', trustDomain, 'key_check'];
  const check = await store.open(sealer.seal(new Uint8Array(), context));
  if (sealer.open(check, context) !== undefined) return;
  const message = `the key-encryption key is not the one that sealed the keys of ${trustDomain}`;
  throw new PlatformError('configuration_invalid', message, {
    hint: 'start with the key that was used before; without it the signing keys are lost',
  });
}
