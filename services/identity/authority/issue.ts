// Issues SVIDs with the keys that are active: for how long, and not before an identity may have one.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds, type X509Svid } from '../../../runtime/identity/workload/x509.ts';
import { type CertificateSigner, certificateSigner, makeSvidCertificate } from './certificate.ts';
import type { DenyList } from './denied.ts';
import { requireDnsNames } from './dns-names.ts';
import type { Authority, IssuedToken } from './port.ts';
import type { SigningKey } from './signing-key.ts';
import type { KeyKind } from './store.ts';
import { requireAudience, signJwtSvid, signWitSvid, type TokenTimes } from './tokens.ts';
import type { Upkeep } from './upkeep.ts';

/** Nothing is issued for longer, and so nothing that is denied need be remembered for longer. */
export const ttlSecondsMax = 24 * 3600;

/** A denial reaches at most a second ahead; a clock that was set back further is not waited for. */
const waitMsMax = 5000;

export interface IssuerConfig {
  trustDomain: string;
  upkeep: Upkeep;
  denied: DenyList;
  clock: () => Date;
  svidTtlMs: number;
  jwtTtlMs: number;
  /** Throws for an ID that is not one of this trust domain's workloads. */
  requireOwnId: (spiffeId: string) => void;
}

/** See `Authority` for what each of its methods promises. */
export class Issuer {
  /** The URL that JWT-SVIDs name; none until the keys are published under one. */
  issuerUrl: string | undefined;
  readonly #config: IssuerConfig;
  readonly #signers = new WeakMap<KeyObject, CertificateSigner>();
  #issuedUpTo = 0;

  constructor(config: IssuerConfig) {
    this.#config = config;
  }

  /** The last second in which something was issued, even if the clock was set back since. */
  get issuedUpTo(): number {
    return this.#issuedUpTo;
  }

  async issueX509(request: Parameters<Authority['issueX509']>[0]): Promise<X509Svid> {
    const { spiffeId, dnsNames = [], hint = '' } = request;
    this.#config.requireOwnId(spiffeId);
    requireDnsNames(dnsNames);
    const ttlSeconds = ttlOf(request.ttlSeconds, this.#config.svidTtlMs);
    const key = await this.#ready('x509', spiffeId);
    const times = this.#timesOf(key, ttlSeconds);
    const pair = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    });
    const validity = {
      notBefore: new Date((times.issuedAt - backdateSeconds) * 1000),
      notAfter: new Date(times.expiresAt * 1000),
    };
    const names = { spiffeId, dnsNames };
    const signer = this.#signerOf(key);
    const leaf = await makeSvidCertificate(signer, names, pair.publicKey, validity);
    return { spiffeId, certificates: [leaf], privateKey: pair.privateKey, hint, ...validity };
  }

  async issueJwt(request: Parameters<Authority['issueJwt']>[0]): Promise<IssuedToken> {
    const { spiffeId, audience } = request;
    this.#config.requireOwnId(spiffeId);
    requireAudience(audience);
    const ttlSeconds = ttlOf(request.ttlSeconds, this.#config.jwtTtlMs);
    const key = await this.#ready('jwt', spiffeId);
    const times = this.#timesOf(key, ttlSeconds);
    const token = await signJwtSvid(key, { spiffeId, audience, issuer: this.issuerUrl }, times);
    return { token, ...datesOf(times) };
  }

  async issueWit(
    request: Parameters<Authority['issueWit']>[0],
  ): Promise<IssuedToken & { privateKeyJwk: string }> {
    const { spiffeId } = request;
    const { trustDomain } = this.#config;
    this.#config.requireOwnId(spiffeId);
    const ttlSeconds = ttlOf(request.ttlSeconds, this.#config.svidTtlMs);
    const key = await this.#ready('wit', spiffeId);
    const times = this.#timesOf(key, ttlSeconds);
    return { ...(await signWitSvid(key, { spiffeId, trustDomain }, times)), ...datesOf(times) };
  }

  /** The key to sign with, once the id may be issued. */
  async #ready(kind: KeyKind, spiffeId: string): Promise<SigningKey> {
    const { upkeep, denied } = this.#config;
    if (upkeep.keyring.active(kind) === undefined) {
      await upkeep.refresh().catch((cause) => {
        throw noKey(kind, cause);
      });
    }
    await this.#untilIssuable(spiffeId);
    if (denied.isFull()) {
      throw new PlatformError('identity_unavailable', 'the deny-list is full', {
        hint: 'nothing is issued that could not be taken away again; the list shrinks within a day',
      });
    }
    const key = upkeep.keyring.active(kind);
    if (key === undefined) throw noKey(kind);
    return key;
  }

  /** Until the second from which on SVIDs of the id are good again. */
  async #untilIssuable(spiffeId: string): Promise<void> {
    const { denied, clock } = this.#config;
    const startedAt = performance.now();
    for (;;) {
      const waitMs = denied.issuedBefore(spiffeId) * 1000 - clock().getTime();
      if (waitMs <= 0) return;
      if (waitMs > waitMsMax || performance.now() - startedAt > waitMsMax) {
        const message = 'the clock is behind the time when the identity was taken away';
        throw new PlatformError('identity_unavailable', message);
      }
      await sleep(Math.min(waitMs, 50));
    }
  }

  /** Whole seconds; never beyond the time for which the key is published. */
  #timesOf(key: SigningKey, ttlSeconds: number): TokenTimes {
    const issuedAt = Math.floor(this.#config.clock().getTime() / 1000);
    const expiresAt = Math.min(issuedAt + ttlSeconds, Math.floor(key.expiresAt / 1000));
    if (expiresAt <= issuedAt) throw noKey(key.kind);
    this.#issuedUpTo = Math.max(this.#issuedUpTo, issuedAt);
    return { issuedAt, expiresAt };
  }

  #signerOf(key: SigningKey): CertificateSigner {
    let signer = this.#signers.get(key.privateKey);
    if (signer === undefined) {
      signer = certificateSigner(key.publicPart, key.privateKey);
      this.#signers.set(key.privateKey, signer);
    }
    return signer;
  }
}

/** `identity_unavailable`: nothing of the kind can be signed now. */
export function noKey(kind: KeyKind, cause?: unknown): PlatformError {
  const message = `there is no ${kind} key within its time`;
  return new PlatformError('identity_unavailable', message, { cause });
}

function ttlOf(wanted: number | undefined, defaultMs: number): number {
  const seconds = wanted ?? Math.max(1, Math.floor(defaultMs / 1000));
  if (Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= ttlSecondsMax) return seconds;
  const message = `the time to live is not a whole number of seconds from 1 to ${ttlSecondsMax}`;
  throw new PlatformError('input_invalid', message);
}

function datesOf(times: TokenTimes): { issuedAt: Date; expiresAt: Date } {
  return { issuedAt: new Date(times.issuedAt * 1000), expiresAt: new Date(times.expiresAt * 1000) };
}
