// providers.aws.sign_req: a request's headers with AWS's signature version 4, at a time that the policy gives.

import { alloc } from '../../common/arena';
import { digest, Hash, hmac } from '../../crypto/hash';
import { Failure, failed } from '../failure';
import { add, append, has, insert, newObject, newSet, sorted } from '../object';
import {
  asciiString,
  FALSE,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newString,
  stringOf,
  TRUE,
  textOf,
  valueAt,
} from '../value';
import { fieldOf } from './crypto-jwk';
import { timeValue } from './crypto-values';
import { encodeHex, isAscii, isText } from './encoding-base64';
import { host, parseUrl, rawQuery } from './encoding-url';
import { escapedPath } from './encoding-url-text';
import { jsonText } from './json-text';
import { addAscii, addByte, addText, beginText, finishText } from './text-builder';

/** A field that has to be a string; an empty one for anything else, as in OPA. */
function textField(object: u32, name: string): u32 {
  const value = fieldOf(object, name);
  return value != 0 && isText(value) ? value : newString(0);
}

function hasText(object: u32, name: string): bool {
  const value = fieldOf(object, name);
  return value != 0 && isText(value);
}

/** What http.send knows of a request; others are refused. */
const REQUEST_KEYS =
  'method url body enable_redirect force_json_decode force_yaml_decode headers raw_body tls_use_system_certs tls_ca_cert tls_ca_cert_file tls_ca_cert_env_variable tls_client_cert tls_client_cert_file tls_client_cert_env_variable tls_client_key tls_client_key_file tls_client_key_env_variable tls_insecure_skip_verify tls_server_name timeout cache force_cache force_cache_duration_seconds raise_error caching_mode max_retry_attempts cache_ignored_headers';

/** Whether every key of a request is one that http.send knows. */
function hasKnownKeys(request: u32): bool {
  const known = newSet(40);
  const source = changetype<usize>(REQUEST_KEYS);
  let start: u32 = 0;
  for (let i: u32 = 0; i <= <u32>REQUEST_KEYS.length; i++) {
    if (i < <u32>REQUEST_KEYS.length && load<u8>(source + (i << 1)) != 0x20) continue;
    const key = newString(i - start);
    for (let j = start; j < i; j++) store<u8>(textOf(key) + j - start, load<u8>(source + (j << 1)));
    add(known, key);
    start = i + 1;
  }
  for (let i: u32 = 0; i < lengthOf(request); i++) if (!has(known, keyAt(request, i))) return false;
  return true;
}

/** The request with signed headers. */
export function b_providers_aws_sign_req(request: u32, configuration: u32, time: u32): u32 {
  if (kindOf(request) != Kind.Object || kindOf(configuration) != Kind.Object) {
    return failed(Failure.Type);
  }
  const complete =
    hasText(configuration, 'aws_service') &&
    hasText(configuration, 'aws_access_key') &&
    hasText(configuration, 'aws_secret_access_key') &&
    hasText(configuration, 'aws_region');
  if (!complete || kindOf(time) != Kind.Number || !isInteger(time)) return failed(Failure.Type);
  if (!hasKnownKeys(request)) return failed(Failure.Type);
  const given = fieldOf(request, 'headers');
  if (given != 0 && kindOf(given) != Kind.Object) return failed(Failure.Type);
  if (!hasText(request, 'url') || !hasText(request, 'method')) return failed(Failure.Type);
  const url = fieldOf(request, 'url');
  if (!parseUrl(textOf(url), lengthOf(url))) return failed();
  const unsigned = fieldOf(configuration, 'disable_payload_signing');
  if (unsigned != 0 && unsigned != TRUE && unsigned != FALSE) return failed(Failure.Type);
  const payload = unsigned == TRUE ? asciiString('UNSIGNED-PAYLOAD') : digestText(bodyOf(request));
  const stamp = stampOf(integerOf(time));
  const signed = awsHeaders(configuration, payload, stamp);
  const headers = newObject(8);
  if (given != 0) copyHeaders(headers, given);
  const authorization = authorize(request, configuration, headers, signed, payload, stamp);
  insert(headers, asciiString('Authorization'), authorization);
  for (let i: u32 = 0; i < lengthOf(signed); i++)
    insert(headers, keyAt(signed, i), valueAt(signed, i));
  const result = newObject(lengthOf(request) + 1);
  for (let i: u32 = 0; i < lengthOf(request); i++) {
    append(result, keyAt(request, i), valueAt(request, i));
  }
  insert(result, asciiString('headers'), headers);
  return result;
}

/** The bytes of the body: `raw_body` as it is, `body` as JSON. */
function bodyOf(request: u32): u32 {
  if (fieldOf(request, 'raw_body') != 0) return textField(request, 'raw_body');
  const body = fieldOf(request, 'body');
  return body == 0 ? newString(0) : jsonText(body);
}

/** SHA-256 of a string in hexadecimal. */
function digestText(text: u32): u32 {
  const out = alloc(32);
  digest(Hash.Sha256, textOf(text), lengthOf(text), out);
  return encodeHex(out, 32);
}

/** The time as `20060102T150405Z`. */
function stampOf(ns: i64): u32 {
  let seconds = ns / 1000000000;
  if (seconds * 1000000000 > ns) seconds -= 1;
  const text = timeValue(seconds, 0);
  beginText();
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = load<u8>(textOf(text) + i);
    if (byte != 0x2d && byte != 0x3a) addByte(byte);
  }
  return finishText();
}

/** The headers that AWS wants. */
function awsHeaders(configuration: u32, payload: u32, stamp: u32): u32 {
  const headers = newObject(4);
  insert(headers, asciiString('host'), host);
  insert(headers, asciiString('x-amz-date'), stamp);
  const service = fieldOf(configuration, 'aws_service');
  if (isAscii(service, 's3') || isAscii(service, 'glacier')) {
    insert(headers, asciiString('x-amz-content-sha256'), payload);
  }
  const token = textField(configuration, 'aws_session_token');
  if (lengthOf(token) > 0) insert(headers, asciiString('x-amz-security-token'), token);
  return headers;
}

/** Copies headers; a name or value that is no string is an empty one, as in OPA. */
function copyHeaders(headers: u32, given: u32): void {
  for (let i: u32 = 0; i < lengthOf(given); i++) {
    const name = keyAt(given, i);
    const value = valueAt(given, i);
    insert(headers, isText(name) ? name : newString(0), isText(value) ? value : newString(0));
  }
}

function lowered(text: u32): u32 {
  const copy = stringOf(textOf(text), lengthOf(text));
  for (let p = textOf(copy); p < textOf(copy) + lengthOf(copy); p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x41 <= 25) store<u8>(p, byte | 0x20);
  }
  return copy;
}

/** All headers that are signed, by their lower-case names, in order. */
function signedHeaders(headers: u32, signed: u32): u32 {
  const all = newObject(8);
  for (let i: u32 = 0; i < lengthOf(signed); i++) insert(all, keyAt(signed, i), valueAt(signed, i));
  for (let i: u32 = 0; i < lengthOf(headers); i++) {
    const name = lowered(keyAt(headers, i));
    // These may change on the way.
    if (isAscii(name, 'authorization') || isAscii(name, 'user-agent')) continue;
    if (!isAscii(name, 'x-amzn-trace-id')) insert(all, name, valueAt(headers, i));
  }
  return sorted(all);
}

function namesOf(headers: u32): u32 {
  beginText();
  for (let i: u32 = 0; i < lengthOf(headers); i++) {
    if (i > 0) addByte(0x3b);
    addText(keyAt(headers, i));
  }
  return finishText();
}

/** The canonical request. */
function canonical(method: u32, headers: u32, names: u32, payload: u32): u32 {
  const path = escapedPath();
  beginText(256);
  addText(method);
  addByte(0x0a);
  addText(path);
  addByte(0x0a);
  addText(rawQuery);
  addByte(0x0a);
  for (let i: u32 = 0; i < lengthOf(headers); i++) {
    addText(keyAt(headers, i));
    addByte(0x3a);
    addText(valueAt(headers, i));
    addByte(0x0a);
  }
  addByte(0x0a);
  addText(names);
  addByte(0x0a);
  addText(payload);
  return finishText();
}

/** HMAC-SHA-256 of a text under a key, as a string of its 32 bytes. */
function code(key: u32, text: u32): u32 {
  const out = newString(32);
  hmac(Hash.Sha256, textOf(key), lengthOf(key), textOf(text), lengthOf(text), textOf(out));
  return out;
}

/** The value of the Authorization header. */
function authorize(
  request: u32,
  configuration: u32,
  headers: u32,
  signed: u32,
  payload: u32,
  stamp: u32,
): u32 {
  const region = fieldOf(configuration, 'aws_region');
  const service = fieldOf(configuration, 'aws_service');
  const date = stringOf(textOf(stamp), lengthOf(stamp) - 8);
  const all = signedHeaders(headers, signed);
  const names = namesOf(all);
  const hashed = digestText(canonical(fieldOf(request, 'method'), all, names, payload));
  beginText();
  addText(date);
  addByte(0x2f);
  addText(region);
  addByte(0x2f);
  addText(service);
  addAscii('/aws4_request');
  const scope = finishText();
  beginText();
  addAscii('AWS4-HMAC-SHA256\n');
  addText(stamp);
  addByte(0x0a);
  addText(scope);
  addByte(0x0a);
  addText(hashed);
  const text = finishText();
  beginText();
  addAscii('AWS4');
  addText(fieldOf(configuration, 'aws_secret_access_key'));
  let key = code(finishText(), date);
  key = code(code(code(key, region), service), asciiString('aws4_request'));
  const signature = code(key, text);
  const digits = encodeHex(textOf(signature), 32);
  beginText();
  addAscii('AWS4-HMAC-SHA256 Credential=');
  addText(fieldOf(configuration, 'aws_access_key'));
  addByte(0x2f);
  addText(scope);
  addAscii(',SignedHeaders=');
  addText(names);
  addAscii(',Signature=');
  addText(digits);
  return finishText();
}
