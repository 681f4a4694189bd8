// Takes the input out of a request as OPA does: plain or gzip, with any content type but YAML.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { findMembers } from '../../runtime/decide/members.ts';
import { InputError } from '../../runtime/errors.ts';
import type { Canonicalizer } from '../common/http/json.ts';
import { type HttpRequest, singleHeader } from '../common/http/port.ts';

const BODY_BYTES_MAX = 1 << 20;
const NULL = 'null';

/**
 * The `input` of `POST /v1/data`, canonical; undefined when the body has none or it is `null`, which
 * OPA takes for the same.
 * @throws InputError `input_*` for JSON that not every host reads alike, which is more than OPA refuses
 */
export async function readInputV1(
  request: HttpRequest,
  record: Canonicalizer,
): Promise<Uint8Array | undefined> {
  const body = await readBody(request);
  if (body.length === 0) return undefined;
  const canonical = record.canonicalize(body);
  if (isNull(canonical)) return undefined;
  if (canonical[0] !== 0x7b) {
    throw new InputError('input_invalid', 'body contains malformed input document: not an object');
  }
  const [member] = findMembers(canonical, ['input']);
  if (member === undefined) return undefined;
  const input = canonical.slice(member.start, member.end);
  return isNull(input) ? undefined : input;
}

/** The input of `POST /v0/data` and `POST /`: the body itself, `null` when there is none. */
export async function readInputV0(
  request: HttpRequest,
  record: Canonicalizer,
): Promise<Uint8Array> {
  const body = await readBody(request);
  return record.canonicalize(body.length === 0 ? Buffer.from(NULL) : body);
}

/** The input of `GET /v1/data?input=`; undefined without the parameter. */
export function readInputParameter(
  request: HttpRequest,
  record: Canonicalizer,
): Uint8Array | undefined {
  const text = request.query.getAll('input').at(-1);
  return text === undefined ? undefined : record.canonicalize(Buffer.from(text));
}

async function readBody(request: HttpRequest): Promise<Uint8Array> {
  const type = singleHeader(request.headers, 'content-type') ?? '';
  if (type.includes('yaml')) {
    throw new InputError('input_invalid', 'the input is YAML: send it as JSON');
  }
  const encoding = singleHeader(request.headers, 'content-encoding');
  if (encoding === undefined || encoding === 'identity') return request.body;
  if (encoding !== 'gzip') {
    throw new InputError('input_invalid', 'the content-encoding is neither gzip nor identity');
  }
  try {
    return await promisify(gunzip)(request.body, { maxOutputLength: BODY_BYTES_MAX });
  } catch (cause) {
    throw new InputError('input_invalid', 'could not decompress the body, or it is over 1 MiB', {
      cause,
    });
  }
}

function isNull(canonical: Uint8Array): boolean {
  return canonical.length === NULL.length && canonical[0] === 0x6e;
}
