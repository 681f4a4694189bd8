// Envoy's external authorization (envoy.service.auth.v3) as a thin shell around the check.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  type HeaderMap,
  type HeaderValueOptionSchema,
} from '../../runtime/identity/proto/envoy/config/core/v3/base_pb.js';
import {
  Authorization,
  type CheckRequest,
  type CheckResponse,
  CheckResponseSchema,
} from '../../runtime/identity/proto/envoy/service/auth/v3/external_auth_pb.js';
import { StatusCode } from '../../runtime/identity/proto/envoy/type/v3/http_status_pb.js';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { Asked, Checked } from './ext-authz.ts';

/** Members of `context_extensions`, which only the proxy's own configuration writes. */
const SERVICE = 'service';
/** Any value says that the proxy sends bodies (`with_request_body`, as bytes). */
const BODIES = 'bodies';
/** Envoy's word that there is more of a body than it sends. */
const PARTIAL = 'x-envoy-auth-partial-body';

/** The routes of a gRPC server; what `check` throws is an error of the call, which Envoy denies. */
export function extAuthzRoutes(check: (asked: Asked) => Checked): (router: ConnectRouter) => void {
  return (router) => {
    router.service(Authorization, { check: (request) => toResponse(check(toAsked(request))) });
  };
}

function toAsked({ attributes }: CheckRequest): Asked {
  const { contextExtensions = {}, request, source } = attributes ?? {};
  const headers = pairsOf(request?.http?.headerMap);
  const { rawBody = new Uint8Array(0), body: text = '' } = request?.http ?? {};
  const body = text === '' && isWhole(headers ?? [], rawBody) ? rawBody : 'partial';
  return {
    principal: source?.principal ?? '',
    service: contextExtensions[SERVICE] ?? '',
    method: request?.http?.method ?? '',
    target: request?.http?.path ?? '',
    headers,
    body: contextExtensions[BODIES] === undefined ? undefined : body,
  };
}

/** Whether Envoy, and the request itself, say that this is all of the body: none of it is not an empty one. */
function isWhole(headers: HeaderPairs, { length }: Uint8Array): boolean {
  return headers.every(([name, value]) => {
    if (name === PARTIAL) return value === 'false';
    return name !== 'content-length' || Number(value) === length;
  });
}

/** With `encode_raw_headers` every header as it came; without it Envoy joins those of one name. */
function pairsOf(map: HeaderMap | undefined): HeaderPairs | undefined {
  return map?.headers.map(({ key, rawValue }): [string, string] => [
    key,
    Buffer.from(rawValue).toString('latin1'),
  ]);
}

function toResponse({ allow, set, remove, facts, problem = '' }: Checked): CheckResponse {
  return create(CheckResponseSchema, {
    status: { code: allow ? 0 : Code.PermissionDenied },
    httpResponse: allow
      ? { case: 'okResponse', value: { headers: options(set), headersToRemove: remove } }
      : {
          case: 'deniedResponse',
          value: {
            status: { code: StatusCode.Forbidden },
            headers: options({
              'content-type': 'application/problem+json',
              'cache-control': 'no-store',
            }),
            body: problem,
          },
        },
    dynamicMetadata: facts,
  });
}

/** Each name gets the one value, whatever the request said under it. */
function options(
  headers: Record<string, string>,
): MessageInitShape<typeof HeaderValueOptionSchema>[] {
  return Object.entries(headers).map(([key, value]) => ({
    header: { key, value },
    appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
  }));
}
