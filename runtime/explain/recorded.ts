// Makes a decision of the evidence ready to be explained: its bundles, and its input as far as it is open.
import { DATA } from '../bundle/build.ts';
import { readJson, revisionOf } from '../bundle/revision.ts';
import { ownerOf } from '../bundle/tenants.ts';
import { EvidenceError } from '../errors.ts';
import type { ObjectSource } from '../evidence/objects.ts';
import type { Openings } from '../evidence/openings.ts';
import type { RowDecision } from '../evidence/row.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ExplainRequest } from './explanation.ts';

export interface RecordedOptions {
  objects: Pick<ObjectSource, 'getBundle'>;
  /** What is known of committed members; may be empty. */
  openings: Openings;
  /** The built-ins that policies may use. */
  capabilities: JsonObject;
}

/**
 * The request that explains a recorded decision of the module `authorization`, with the bundles of
 * its revisions. Members that are committed and have no opening are left out and named in `unknown`.
 * @throws EvidenceError `object_missing` where a bundle is not kept
 */
export async function recordedRequest(
  decision: RowDecision,
  options: RecordedOptions,
): Promise<ExplainRequest> {
  const policy = await bundleOf('policy', decision.policy_revision, options);
  const data = await bundleOf('data', decision.data_revision, options);
  const files = [...policy]
    .filter(([path]) => path.endsWith('.rego'))
    .map(([path, bytes]) => ({ path, content: text(bytes), ...ownerOf(path) }));
  return {
    sources: { files, capabilities: options.capabilities },
    data: readJson(data, DATA),
    boundary: decision.boundary,
    ...opened(decision.input, options.openings),
    recorded: decision.output,
  };
}

async function bundleOf(
  kind: 'policy' | 'data',
  revision: string,
  { objects }: RecordedOptions,
): Promise<Map<string, Uint8Array>> {
  const found = revision === '' ? undefined : await objects.getBundle(revision);
  if (found === undefined) {
    throw new EvidenceError('object_missing', `the ${kind} bundle of the decision is not kept`);
  }
  if (revisionOf(found) !== revision) {
    throw new EvidenceError('object_corrupt', `the ${kind} bundle is not ${revision}`);
  }
  return found;
}

function opened(input: JsonValue, openings: Openings): { input: JsonValue; unknown: string[] } {
  if (!isJsonObject(input)) return { input, unknown: [] };
  // An input that could not be read is committed whole; no rule saw it.
  if (commitmentIn(input) !== undefined) return { input: {}, unknown: [] };
  const open: JsonObject = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(input)) {
    const commitment = commitmentIn(value);
    const opening = commitment === undefined ? undefined : openings.get(commitment);
    if (commitment === undefined) open[name] = value;
    else if (opening?.field === name) open[name] = JSON.parse(text(opening.value)) as JsonValue;
    else unknown.push(name);
  }
  return { input: open, unknown };
}

function commitmentIn(value: JsonValue): string | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$commitment === 'string' ? value.$commitment : undefined;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
