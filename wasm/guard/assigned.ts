// Secrets known by the name beside them: `password = …`, an AWS secret key, an Azure storage or client secret.

import { report } from './findings';
import * as Kind from './kinds';
import { SECRETS } from './scanners';
import { isStandIn } from './structured';
import {
  ALNUM,
  at,
  BASE64,
  begin,
  boundary,
  count,
  DASH,
  DIGIT,
  DOT,
  end,
  endsFolded,
  is,
  LETTER,
  LOWER,
  run,
  startsFolded,
  UNDERSCORE,
  UPPER,
  wordWithin,
} from './text';
import { tokenAt } from './tokens';

const VALUE_MIN: u32 = 8;
const TOKEN_VALUE_MIN: u32 = 16;
const VALUE_MAX: u32 = 128;
const AWS_SECRET_LENGTH: u32 = 40;
const AZURE_KEY_LENGTH: u32 = 86;
const KEYWORD_WITHIN: u32 = 64;
const UNBOUNDED: u32 = 0x7fffffff;

function isQuote(p: u32): bool {
  const byte = at(p);
  return byte == 0x22 || byte == 0x27 || byte == 0x60;
}

/** The shortest value worth reporting for the name that ends at `p`, 0 when the name means no secret. */
function leastFor(p: u32): u32 {
  if (endsFolded(p, 'password') || endsFolded(p, 'passwd') || endsFolded(p, 'passphrase'))
    return VALUE_MIN;
  if (endsFolded(p, 'pwd') || endsFolded(p, 'secret')) return VALUE_MIN;
  if (endsFolded(p, 'token')) return TOKEN_VALUE_MIN;
  if (!endsFolded(p, 'key')) return 0;
  let q = p - 3;
  if (at(q - 1) == 0x5f || at(q - 1) == 0x2d) q--;
  const named =
    endsFolded(q, 'api') ||
    endsFolded(q, 'secret') ||
    endsFolded(q, 'private') ||
    endsFolded(q, 'access') ||
    endsFolded(q, 'encryption');
  return named ? TOKEN_VALUE_MIN : 0;
}

/** Where the name before the `=` or `:` at `p` ends: quotes and spaces skipped. */
function nameEnd(p: u32): u32 {
  let q = p;
  for (let i = 0; i < 2 && at(q - 1) == 0x20; i++) q--;
  if (isQuote(q - 1)) q--;
  return at(q - 1) == 0x5c ? q - 1 : q;
}

/** Where the value after the `=` or `:` at `p` begins. */
function valueStart(p: u32): u32 {
  let q = p + 1;
  if (at(q) == 0x3d || at(q) == 0x3e) q++;
  for (let i = 0; i < 4 && (at(q) == 0x20 || at(q) == 0x09); i++) q++;
  if (at(q) == 0x5c && isQuote(q + 1)) q++;
  return isQuote(q) ? q + 1 : q;
}

function endsValue(p: u32): bool {
  const byte = at(p);
  return (
    byte <= 0x20 ||
    isQuote(p) ||
    byte == 0x2c ||
    byte == 0x3b ||
    byte == 0x5c ||
    byte == 0x29 ||
    byte == 0x7d ||
    byte == 0x5d ||
    byte == 0x3c ||
    byte == 0x3e ||
    byte == 0x26
  );
}

/** Reports the value of `password=…` and its like, the `=` or `:` at `p`. */
export function assignmentAt(p: u32): void {
  const least = leastFor(nameEnd(p));
  if (least == 0) return;
  const start = valueStart(p);
  let letters = false;
  let others = false;
  let q = start;
  while (q < end && q - start < VALUE_MAX && !endsValue(q)) {
    if (is(q, LETTER)) letters = true;
    // Words such as `required` or `integer-format` are no passwords; a digit or a sign makes one.
    else if (!is(q, DASH | UNDERSCORE | DOT) && at(q) != 0x3a && at(q) != 0x2f) others = true;
    q++;
  }
  count(q - start);
  if (q - start < least || !letters || !others || isStandIn(start, q)) return;
  // The format's own kind says more; it is reported where it begins.
  if (tokenAt(start) == 0 && !isAwsSecret(start))
    report(start, q, SECRETS, Kind.PASSWORD_ASSIGNMENT, 1000);
}

/** Whether 40 base64 characters with both cases and a digit stand alone at `p`, near "aws" or "secret". */
function isAwsSecret(p: u32): bool {
  const stop = p + AWS_SECRET_LENGTH;
  if (
    is(p - 1, ALNUM | BASE64) ||
    run(p, ALNUM | BASE64, AWS_SECRET_LENGTH + 1) != stop ||
    at(stop) == 0x3d
  )
    return false;
  let seen: u32 = 0;
  for (let q = p; q < stop; q++) {
    if (is(q, UPPER)) seen |= 1;
    else if (is(q, LOWER)) seen |= 2;
    else if (is(q, DIGIT)) seen |= 4;
  }
  if (seen != 7) return false;
  const from = p - begin > KEYWORD_WITHIN ? p - KEYWORD_WITHIN : begin;
  return namesSecret(from, p);
}

function namesSecret(from: u32, to: u32): bool {
  count(to - from);
  for (let q = from; q < to; q++) {
    if (startsFolded(q, 'secret') || startsFolded(q, 'aws')) return true;
  }
  return false;
}

let base64End: u32 = 0;

/** Forgets the run of the last text; call before a scan. */
export function resetAssigned(): void {
  base64End = 0;
}

/** Reports the AWS secret access key at `p`, when a run of base64 characters begins there. */
export function awsSecretAt(p: u32): void {
  if (p < base64End) return;
  base64End = run(p, ALNUM | BASE64, UNBOUNDED);
  if (base64End - p == AWS_SECRET_LENGTH && isAwsSecret(p))
    report(p, base64End, SECRETS, Kind.AWS_SECRET_ACCESS_KEY, 1000);
}

/** Reports the key of an Azure storage connection string, its `=` at `p`; returns its end, or 0. */
export function azureStorageAt(p: u32): u32 {
  if (!endsFolded(p, 'accountkey')) return 0;
  const stop = run(p + 1, ALNUM | BASE64, AZURE_KEY_LENGTH + 1);
  if (stop - p - 1 != AZURE_KEY_LENGTH || at(stop) != 0x3d || at(stop + 1) != 0x3d) return 0;
  report(p + 1, stop + 2, SECRETS, Kind.AZURE_STORAGE_KEY, 1000);
  return stop + 2;
}

/** Reports the Azure client secret with its `~` at `p`: three characters, a digit, `Q~`, 31 to 34 more. */
export function azureClientAt(p: u32): void {
  if (at(p - 1) != 0x51 || !is(p - 2, DIGIT)) return;
  const start = p - 5;
  if (start < begin || start > p || !boundary(start)) return;
  for (let q = start; q < p - 2; q++) if (!isAzure(q)) return;
  let q = p + 1;
  while (q - p <= 34 && isAzure(q)) q++;
  count(q - start);
  if (q - p - 1 >= 31) report(start, q, SECRETS, Kind.AZURE_CLIENT_SECRET, 1000);
}

function isAzure(p: u32): bool {
  return is(p, ALNUM | UNDERSCORE | DOT | DASH) || at(p) == 0x7e;
}
