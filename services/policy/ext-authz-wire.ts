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
import type { Asked, Checked } from './ext-authz.ts';
import type { RawHeader } from './ext-authz-headers.ts';

/** Member of `context_extensions`, which only the proxy's own configuration writes. */
const SERVICE = 'service';

/** The routes of a gRPC server; what `check` throws is an error of the call, which Envoy denies. */
export function extAuthzRoutes(check: (asked: Asked) => Checked): (router: ConnectRouter) => void {
  return (router) => {
    router.service(Authorization, { check: (request) => toResponse(check(toAsked(request))) });
  };
}

function toAsked({ attributes }: CheckRequest): Asked {
  return {
    principal: attributes?.source?.principal ?? '',
    service: attributes?.contextExtensions[SERVICE] ?? '',
    headers: rawHeaders(attributes?.request?.http?.headerMap),
  };
}

/** With `encode_raw_headers` every header as it came; without it Envoy joins those of one name. */
function rawHeaders(map: HeaderMap | undefined): RawHeader[] | undefined {
  return map?.headers.map(({ key, rawValue }) => ({
    name: key,
    value: Buffer.from(rawValue).toString('latin1'),
  }));
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
