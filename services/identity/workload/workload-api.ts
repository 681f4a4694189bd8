// The SPIFFE Workload API: identity documents and trust bundles for whoever is entitled to them.
import type { JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { codeOf, type PlatformError } from '../../../runtime/errors.ts';
import type { SpiffeWorkloadAPI } from '../../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import type { Entry } from '../entries/entry.ts';
import type { Issuer } from '../issuer.ts';
import { bundleDer, bundleVersion, identitiesOf } from './identities.ts';
import type { SvidCache } from './svid-cache.ts';
import { unavailable, type Workloads } from './workloads.ts';

type Api = ServiceImpl<typeof SpiffeWorkloadAPI>;

export interface WorkloadApiConfig {
  issuer: Issuer;
  cache: SvidCache;
  workloads: Workloads;
}

const securityHeader = 'workload.spiffe.io';
const audiencesMax = 16;
const audienceBytesMax = 1024;

/**
 * Every method of the Workload API (SPIFFE Workload API, sections 4 to 6). A call without the
 * security header is INVALID_ARGUMENT, one without an identity PERMISSION_DENIED.
 */
export function workloadApi(config: WorkloadApiConfig): Api {
  return { ...x509Calls(config), ...jwtCalls(config), ...witCalls(config) };
}

function x509Calls({
  issuer,
  cache,
  workloads,
}: WorkloadApiConfig): Pick<Api, 'fetchX509SVID' | 'fetchX509Bundles'> {
  return {
    fetchX509SVID(_, context) {
      requireHeader(context);
      return workloads.follow(
        context,
        'FetchX509SVID',
        workloads.shared('FetchX509SVID', async (entries) => {
          const identities = await identitiesOf(cache, entries);
          const bundle = issuer.x509Bundle();
          const svids = identities.svids.map((svid) => ({
            spiffeId: svid.spiffeId,
            x509Svid: Buffer.concat(svid.certificates),
            x509SvidKey: svid.privateKey,
            bundle: bundleDer(bundle),
            hint: svid.hint,
          }));
          return { value: { svids }, version: `${identities.version} ${bundleVersion(bundle)}` };
        }),
      );
    },

    fetchX509Bundles(_, context) {
      requireHeader(context);
      return workloads.follow(
        context,
        'FetchX509Bundles',
        workloads.shared('FetchX509Bundles', async () => {
          const bundle = issuer.x509Bundle();
          const value = { bundles: { [`spiffe://${issuer.trustDomain}`]: bundleDer(bundle) } };
          return { value, version: bundleVersion(bundle) };
        }),
      );
    },
  };
}

function jwtCalls({
  issuer,
  cache,
  workloads,
}: WorkloadApiConfig): Pick<Api, 'fetchJWTSVID' | 'fetchJWTBundles' | 'validateJWTSVID'> {
  return {
    async fetchJWTSVID({ audience, spiffeId }, context) {
      requireHeader(context);
      const wanted = readAudiences(audience);
      const workload = workloads.attest(context);
      const entries = selected(await workloads.entriesOf(workload), spiffeId);
      const svids = await issued(entries, async (entry) => ({
        spiffeId: entry.spiffeId,
        svid: await workloads.inTurn(workload, () => cache.jwt(entry, wanted)),
        hint: entry.hint,
      }));
      return { svids };
    },

    fetchJWTBundles(_, context) {
      requireHeader(context);
      return workloads.follow(
        context,
        'FetchJWTBundles',
        workloads.shared('FetchJWTBundles', async () => {
          const text = JSON.stringify(issuer.jwtBundle());
          return {
            value: { bundles: { [`spiffe://${issuer.trustDomain}`]: Buffer.from(text) } },
            version: text,
          };
        }),
      );
    },

    async validateJWTSVID({ audience, svid }, context) {
      requireHeader(context);
      if (audience === '') throw invalid('audience must be specified');
      if (svid === '') throw invalid('svid must be specified');
      const workload = workloads.attest(context);
      await workloads.entriesOf(workload);
      try {
        const check = () => issuer.validateJwt(svid, audience);
        const { spiffeId, claims } = await workloads.inTurn(workload, check);
        return { spiffeId, claims: claims as JsonObject };
      } catch (error) {
        if (codeOf(error).startsWith('svid_')) throw invalid((error as PlatformError).message);
        throw unavailable(error);
      }
    },
  };
}

function witCalls({
  issuer,
  cache,
  workloads,
}: WorkloadApiConfig): Pick<Api, 'fetchWITSVID' | 'fetchWITBundles'> {
  return {
    fetchWITSVID({ spiffeId }, context) {
      requireHeader(context);
      return workloads.follow(context, 'FetchWITSVID', async (entries) => {
        const svids = await issued(selected(entries, spiffeId), async (entry) => {
          const { token, privateKeyJwk = '' } = await cache.wit(entry);
          const { spiffeId: id, hint } = entry;
          return { spiffeId: id, witSvid: token, witSvidKey: privateKeyJwk, hint };
        });
        const version = svids.map(({ witSvid }) => witSvid).join(' ');
        return { value: { svids }, version };
      });
    },

    fetchWITBundles(_, context) {
      requireHeader(context);
      return workloads.follow(
        context,
        'FetchWITBundles',
        workloads.shared('FetchWITBundles', async () => {
          const text = JSON.stringify(issuer.witBundle());
          return {
            value: { bundles: { [`spiffe://${issuer.trustDomain}`]: text } },
            version: text,
          };
        }),
      );
    },
  };
}

/** The entries of one SPIFFE ID where the caller names it. Throws PERMISSION_DENIED for none. */
function selected(entries: Entry[], spiffeId: string): Entry[] {
  if (spiffeId === '') return entries;
  const found = entries.filter((entry) => entry.spiffeId === spiffeId);
  if (found.length > 0) return found;
  throw new ConnectError('no identity issued', Code.PermissionDenied);
}

async function issued<T>(entries: Entry[], issue: (entry: Entry) => Promise<T>): Promise<T[]> {
  try {
    return await Promise.all(entries.map(issue));
  } catch (error) {
    throw unavailable(error);
  }
}

/** SPIFFE Workload Endpoint, section 6: a header that a tricked web client does not send. */
function requireHeader(context: HandlerContext): void {
  if (context.requestHeader.get(securityHeader) === 'true') return;
  throw invalid('security header missing from request');
}

function readAudiences(audience: readonly string[]): readonly string[] {
  if (audience.length === 0) throw invalid('audience must be specified');
  if (audience.length > audiencesMax) throw invalid(`more than ${audiencesMax} audiences`);
  for (const each of audience) {
    if (each === '') throw invalid('audience must be specified');
    if (Buffer.byteLength(each) > audienceBytesMax) throw invalid('an audience is too long');
  }
  return audience;
}

function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
