// The SPIFFE Workload API as a client: follows this workload's SVIDs and bundles over a Unix socket.
import { type Client, createClient } from '@connectrpc/connect';
import { IdentityError, type PlatformError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { Scope } from '../../modules/scope.ts';
import { moduleBytes } from '../../modules/source.ts';
import { callTimeoutMs, identityErrorOf, socketTransport } from '../grpc.ts';
import { SpiffeWorkloadAPI } from '../proto/spiffe/workload/workload_pb.js';
import { type JwtBundle, readJwtBundles, readX509Answer } from './answer.ts';
import { firstOf, follow } from './follow.ts';
import type { X509Context, X509Source } from './x509.ts';

export interface WorkloadSourceConfig {
  /** The Workload API's Unix socket. */
  socketPath: string;
  clock?: () => Date;
  /**
   * Told once an outage, and again when it becomes another: `identity_unavailable` (the source goes on
   * with what it has), `svid_missing` (this workload has no identity any more) or `svid_invalid` (an
   * answer was refused).
   */
  onTrouble?: (trouble: PlatformError) => void;
  /** How long to wait for the first answer. */
  timeoutMs?: number;
}

/** A JWT-SVID, in JWS Compact Serialization. */
export interface JwtSvid {
  spiffeId: string;
  token: string;
  hint: string;
}

/** This workload's identity, kept current. */
export interface WorkloadSource extends X509Source {
  /** JWT-SVIDs for one call; `spiffeId` left out: that of the default identity. Throws as `validateJwt`. */
  fetchJwt(wanted: { audience: string | readonly string[]; spiffeId?: string }): Promise<JwtSvid>;
  /**
   * Whose JWT-SVID it is, and all of its claims. Throws `svid_invalid` for one that does not hold for this
   * audience, `svid_missing` or `identity_unavailable`.
   */
  validateJwt(audience: string, token: string): Promise<{ spiffeId: string; claims: JsonObject }>;
  /** The newest JWT bundles by trust domain. */
  jwtBundles(): ReadonlyMap<string, JwtBundle>;
}

/** The metadata that every call must carry (SPIFFE Workload Endpoint, section 6). */
export const securityHeader = { 'workload.spiffe.io': 'true' } as const;

const firstAnswerMs = 30_000;

/**
 * Connects to the Workload API and resolves when there is an identity. Throws `svid_missing` or
 * `identity_unavailable` when there is none within `timeoutMs` (30 s). While the server is away, the
 * source keeps what it has; once the server says that there is no identity, `current()` throws
 * `svid_missing` until there is one again.
 */
export async function openWorkloadSource(config: WorkloadSourceConfig): Promise<WorkloadSource> {
  const clock = config.clock ?? (() => new Date());
  const scope = Scope.create(moduleBytes('scope'));
  const { transport, close } = socketTransport(config.socketPath);
  const client = createClient(SpiffeWorkloadAPI, transport);
  const listeners = new Set<(context: X509Context) => void>();
  let context: X509Context | undefined;
  let bundles: ReadonlyMap<string, JwtBundle> = new Map();
  let updatedAt = new Date(0);
  let lastTrouble: PlatformError | undefined;

  const x509 = follow({
    open: (signal) => client.fetchX509SVID({}, { headers: securityHeader, signal }),
    take(answer) {
      context = readX509Answer(answer, scope);
      updatedAt = clock();
      for (const listener of [...listeners]) listener(context);
    },
    onTrouble(trouble) {
      lastTrouble = trouble;
      if (trouble.code === 'svid_missing') context = undefined;
      config.onTrouble?.(trouble);
    },
  });
  const jwt = follow({
    open: (signal) => client.fetchJWTBundles({}, { headers: securityHeader, signal }),
    take(answer) {
      bundles = readJwtBundles(answer, scope);
    },
    onTrouble(trouble) {
      // Both streams are of one server: whatever else ails it is told by the other one.
      if (trouble.code === 'svid_invalid') config.onTrouble?.(trouble);
    },
  });
  async function closeAll(): Promise<void> {
    listeners.clear();
    await Promise.all([x509.close(), jwt.close()]);
    close();
  }
  try {
    await firstOf([x509, jwt], config.timeoutMs ?? firstAnswerMs, () => lastTrouble);
  } catch (error) {
    await closeAll();
    throw error;
  }

  return {
    current() {
      if (context !== undefined) return context;
      throw new IdentityError('svid_missing', 'this workload has no identity any more');
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => ({ isConnected: x509.isConnected, updatedAt }),
    ...jwtCalls(client),
    jwtBundles: () => bundles,
    close: closeAll,
  };
}

function jwtCalls(
  client: Client<typeof SpiffeWorkloadAPI>,
): Pick<WorkloadSource, 'fetchJwt' | 'validateJwt'> {
  const call = { headers: securityHeader, timeoutMs: callTimeoutMs };
  return {
    async fetchJwt({ audience, spiffeId = '' }) {
      const audiences = typeof audience === 'string' ? [audience] : [...audience];
      const answer = await asIdentityError(
        client.fetchJWTSVID({ audience: audiences, spiffeId }, call),
      );
      const [svid] = answer.svids;
      if (svid === undefined) throw new IdentityError('svid_missing', 'there is no JWT-SVID');
      return { spiffeId: svid.spiffeId, token: svid.svid, hint: svid.hint };
    },
    async validateJwt(audience, token) {
      const answer = await asIdentityError(client.validateJWTSVID({ audience, svid: token }, call));
      return { spiffeId: answer.spiffeId, claims: (answer.claims ?? {}) as JsonObject };
    },
  };
}

async function asIdentityError<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw identityErrorOf(error);
  }
}
