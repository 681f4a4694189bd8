// Mutual TLS with X.509-SVIDs: contexts that follow their source, and peers judged by SPIFFE ID.
import { constants } from 'node:crypto';
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import { IdentityError } from '../../errors.ts';
import { type PeerSvid, type PeerSvidRules, verifyPeerSvid } from './peer-svid.ts';
import { certificatesPem, privateKeyPem } from './pem.ts';
import type { X509Context, X509Source, X509Svid } from './x509.ts';

/** How this end judges the other one; `now` is asked for at each handshake. */
export interface PeerRules extends Omit<PeerSvidRules, 'now'> {
  clock: () => Date;
}

/** What this end presents, and the CAs that it trusts; current at each call. */
export interface TlsIdentity {
  /**
   * The context for the next handshake. Throws `svid_missing` where there is no SVID, and
   * `svid_expired` once the one at hand has expired: no peer would take it.
   */
  secureContext(): SecureContext;
  /** The SVID that the context presents. Throws as `secureContext`. */
  svid(): X509Svid;
  /** Stops following the source. */
  close(): void;
}

export interface TlsIdentityConfig {
  source: X509Source;
  /** The trust domain whose bundle verifies peers; no other one does. */
  trustDomain: string;
  /** Which of the source's SVIDs; left out: the default one. */
  spiffeId?: string;
  clock?: () => Date;
}

const tls13Only = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;

/** Follows a source; a secure context is built once for each of its contexts, on first use. */
export function createTlsIdentity(config: TlsIdentityConfig): TlsIdentity {
  const clock = config.clock ?? (() => new Date());
  let built: { from: X509Context; svid: X509Svid; context: SecureContext } | undefined;

  function latest(): { svid: X509Svid; context: SecureContext } {
    const from = config.source.current();
    if (built?.from !== from) {
      const svid = pick(from, config.spiffeId);
      const bundle = from.bundles.get(config.trustDomain) ?? [];
      built = { from, svid, context: contextOf(svid, bundle) };
    }
    if (clock() > built.svid.notAfter) throw expired(built.svid);
    return built;
  }

  const stop = config.source.onChange(() => {
    built = undefined; // the old key need not stay in memory until the next handshake
  });
  return {
    secureContext: () => latest().context,
    svid: () => latest().svid,
    close() {
      stop();
      built = undefined;
    },
  };
}

/**
 * Options of `tls.connect` (and of what is built on it) for one connection to the server whose SPIFFE
 * ID is `expectedSpiffeId`. The server's DNS name plays no part; `servername` only tells it which
 * service is meant. No session is resumed, since a resumed one is not verified again. Do not keep
 * the options: the next connection wants the newest ones. Throws as `TlsIdentity.secureContext`.
 */
export function clientTlsOptions(
  identity: TlsIdentity,
  rules: PeerRules,
  to: { expectedSpiffeId: string; servername: string },
): ConnectionOptions {
  return {
    ...tls13Only,
    secureContext: identity.secureContext(),
    servername: to.servername,
    rejectUnauthorized: true,
    session: undefined,
    checkServerIdentity: (_name, certificate) => {
      try {
        const { spiffeId } = verifyPeerSvid(certificate.raw, { ...rules, now: rules.clock() });
        if (spiffeId === to.expectedSpiffeId) return undefined;
        throw new IdentityError('svid_invalid', `the server is ${spiffeId}, not the expected one`, {
          data: { spiffe_id: spiffeId, expected: to.expectedSpiffeId },
        });
      } catch (error) {
        return error as Error; // an IdentityError; Node hands it to the socket's error event
      }
    },
  };
}

/**
 * Options of `tls.createServer` (and of what is built on it): the identity that answers is chosen by
 * SNI, a client without a certificate of the trust bundle is cut off, and no session can be resumed.
 * Then ask `verifyTlsPeer` on `secureConnection`, before anything is read.
 */
export function serverTlsOptions(
  identityFor: (servername: string) => TlsIdentity | undefined,
): TlsOptions {
  return {
    ...tls13Only,
    ...noTickets,
    requestCert: true,
    rejectUnauthorized: true,
    // There is no default certificate: a client that names no service gets no handshake.
    SNICallback: (servername, done) => {
      try {
        const identity = identityFor(servername);
        if (identity === undefined) {
          throw new IdentityError('svid_missing', 'no service of that name answers here');
        }
        done(null, identity.secureContext());
      } catch (error) {
        done(error as Error);
      }
    },
  };
}

/**
 * Judges the client of an accepted connection. Throws as `verifyPeerSvid`, and `svid_missing` when TLS
 * has verified no certificate on this very connection.
 */
export function verifyTlsPeer(socket: TLSSocket, rules: PeerRules): PeerSvid {
  const leaf = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  const isVerifiedHere = socket.getProtocol() === 'TLSv1.3' && !socket.isSessionReused();
  if (leaf === undefined || !isVerifiedHere) {
    throw new IdentityError('svid_missing', 'the peer has presented no verified certificate');
  }
  return verifyPeerSvid(leaf.raw, { ...rules, now: rules.clock() });
}

// Without tickets OpenSSL keeps sessions on the server instead, and Node gives it no store for them.
const noTickets = { secureOptions: constants.SSL_OP_NO_TICKET } as const;

function contextOf(svid: X509Svid, bundle: readonly Uint8Array[]): SecureContext {
  // Given no CA, Node would trust the public ones.
  if (bundle.length === 0) {
    throw new IdentityError('svid_missing', 'there is no trust bundle for this trust domain');
  }
  return createSecureContext({
    ...tls13Only,
    ...noTickets,
    cert: certificatesPem(svid.certificates),
    key: privateKeyPem(svid.privateKey),
    ca: certificatesPem(bundle),
    allowPartialTrustChain: true,
  });
}

function pick(context: X509Context, spiffeId: string | undefined): X509Svid {
  const svid =
    spiffeId === undefined
      ? context.svids[0]
      : context.svids.find((each) => each.spiffeId === spiffeId);
  if (svid !== undefined) return svid;
  throw new IdentityError('svid_missing', `there is no SVID for ${spiffeId ?? 'this workload'}`);
}

function expired(svid: X509Svid): IdentityError {
  return new IdentityError('svid_expired', `the SVID of ${svid.spiffeId} has expired`, {
    data: { spiffe_id: svid.spiffeId, not_after: svid.notAfter.toISOString() },
    hint: 'see whether the identity server answers',
  });
}
