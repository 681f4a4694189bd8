// Everything the playground can do, over the bundles of the platform and a draft of its policy.

import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { provideFile } from '../../../../runtime/browser/node/fs.ts';
import { DATA } from '../../../../runtime/bundle/build.ts';
import { joined, loadData, loadPolicy } from '../../../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../../../runtime/bundle/pair.ts';
import type { BundleFiles } from '../../../../runtime/bundle/reader.ts';
import { readJson, SIGNATURES } from '../../../../runtime/bundle/revision.ts';
import { BOUNDARIES, type Boundary, committedFields } from '../../../../runtime/decide/boundary.ts';
import { createDecider, DECISION_TAG, type Decider } from '../../../../runtime/decide/decide.ts';
import {
  BUILT_MODULES,
  executorOf,
  type LoadedModules,
  loadModules,
} from '../../../../runtime/decide/local.ts';
import { HONOURED } from '../../../../runtime/decide/obligations.ts';
import { PlatformError } from '../../../../runtime/errors.ts';
import { Executors } from '../../../../runtime/evidence/audit/executors.ts';
import { replayDecision } from '../../../../runtime/evidence/audit/replay.ts';
import { importOpenings } from '../../../../runtime/evidence/openings.ts';
import { explainDecision } from '../../../../runtime/explain/explanation.ts';
import { pictureOf } from '../../../../runtime/explain/picture.ts';
import { viewOf } from '../../../../runtime/explain/view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../runtime/json.ts';
import type { RegoSources } from '../../../../runtime/modules/rego.ts';
import type {
  Compiled,
  Decided,
  Explained,
  Finding,
  Flips,
  Loaded,
  Questions,
  Replayed,
} from '../protocol.ts';
import { loadCompiler } from './compiler.ts';
import { coverageOf } from './coverage.ts';
import { draftData, draftPolicy, filesOf, sourcesOf } from './drafts.ts';
import { flipsOf, type Recorded } from './flips.ts';
import { type Overview, Platform } from './platform.ts';
import { decisionsIn } from './recorded.ts';
import { sampleOf } from './samples.ts';

/** Decisions that are timed. */
const REPEATS = 51;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export type Progress = (text: string) => void;

/** What the platform runs: loaded and verified once. */
interface Base {
  overview: Overview;
  policy: BundleFiles;
  data: JsonObject;
  pair: LoadedPair;
  modules: LoadedModules;
}

/** One playground. A draft holds until the next is compiled; without edits the bundle itself decides. */
export class Engine {
  readonly #platform: Platform;
  readonly #base: Base;
  #draft: LoadedPair;
  #sources: RegoSources;
  #data: JsonObject;

  private constructor(platform: Platform, base: Base) {
    this.#platform = platform;
    this.#base = base;
    this.#draft = base.pair;
    this.#sources = sourcesOf(base.policy, {}, base.overview);
    this.#data = base.data;
  }

  /** Fetches and verifies what the platform runs; throws for the first signature or digest that is wrong. */
  static async load(token: string, onProgress: Progress): Promise<Engine> {
    const platform = new Platform(token);
    onProgress('Loading the bundles in force');
    const overview = await platform.overview();
    const [policy, data] = await Promise.all([
      bundleOf(platform, overview.policy_revision),
      bundleOf(platform, overview.data_revision),
    ]);
    onProgress('Loading the decision modules');
    for (const name of BUILT_MODULES) {
      provideFile(`${name}.wasm`, await platform.file(`/playground/${name}.wasm`));
    }
    onProgress('Verifying signatures and digests');
    const pair = await joined({
      policy: await loadPolicy(policy, overview.keys),
      data: await loadData(data, overview.keys),
    });
    const modules = loadModules();
    return new Engine(platform, {
      ...{ overview, policy, pair, modules },
      data: readJson(data, DATA),
    });
  }

  /** What the page shows of it. */
  loaded(): Loaded {
    const { overview, pair, policy, data, modules } = this.#base;
    const digests = { ...modules.digests, authorization: pair.policy.modules.authorization!.core };
    return {
      policyRevision: pair.policy.revision,
      dataRevision: pair.data.revision,
      keyId: signerOf(policy),
      modules: Object.entries(digests).map(([name, digest]) => ({ name, digest })),
      files: filesOf(policy, data),
      boundaries: BOUNDARIES.map((name) => ({
        name,
        title: titleOf(overview.schemas[name]),
        committed: committedFields('authorization', name),
        sample: sampleOf(name, data),
      })),
    };
  }

  /** Puts the draft with these edits in force here; findings where it does not compile. */
  async compile({ edits }: Questions['compile']['ask'], onProgress: Progress): Promise<Compiled> {
    const started = performance.now();
    try {
      await this.#use(edits, onProgress);
    } catch (error) {
      const findings = error instanceof PlatformError ? error.data.errors : undefined;
      if (!Array.isArray(findings)) throw error;
      return this.#compiled(started, findings as Finding[]);
    }
    return this.#compiled(started, []);
  }

  /** Makes the draft of these edits; the one before stays where that fails. */
  async #use(given: Record<string, string>, onProgress: Progress): Promise<void> {
    const { policy, overview, pair } = this.#base;
    const { [DATA]: editedData, ...edits } = given;
    const sources = sourcesOf(policy, edits, overview);
    const draft = { ...pair, host: undefined };
    if (editedData !== undefined) draft.data = await draftData(editedData);
    if (Object.keys(edits).length > 0) {
      await loadCompiler(this.#platform, overview, onProgress);
      onProgress('Compiling the policy');
      draft.policy = await draftPolicy(policy, sources);
    }
    const isChanged = Object.keys(given).length > 0;
    this.#draft = isChanged ? await joined(draft) : pair;
    this.#sources = sources;
    this.#data = editedData === undefined ? this.#base.data : JSON.parse(editedData);
  }

  #compiled(started: number, findings: Finding[]): Compiled {
    const { policy } = this.#draft;
    const milliseconds = performance.now() - started;
    const bytes = (policy.decisions ?? policy.wasm).length;
    return { policyRevision: policy.revision, bytes, milliseconds, findings };
  }

  /** One decision of the module `authorization` under the draft. */
  decide({ boundary, input, salt }: Questions['decide']['ask']): Decided {
    const at = boundary as Boundary;
    const request = {
      ...{ boundary: at, module: 'authorization' as const, honours: HONOURED[at] },
      ...{ input: encoder.encode(input), salt: Buffer.from(salt, 'hex') },
    };
    const decider = this.#deciderOf(this.#draft);
    const decision = decider.decide(request);
    const microseconds = medianOf(() => decider.decide(request));
    const { id, allow, rule, reason, controls, obligations } = decision;
    const inForce = this.#deciderOf(this.#base.pair).decide(request);
    return {
      ...{ id, allow, rule, reason, controls, obligations, microseconds },
      inForce: { allow: inForce.allow, rule: inForce.rule },
      parts: [
        { name: 'tag', text: DECISION_TAG },
        { name: 'boundary', text: boundary },
        { name: 'module', text: 'authorization' },
        { name: 'policy revision', text: decision.policyRevision },
        { name: 'data revision', text: decision.dataRevision },
        { name: 'committed input', text: decoder.decode(decision.committedInput) },
        { name: 'output', text: decoder.decode(decision.outputBytes) },
      ],
      violations: this.#violations(at, request.input),
    };
  }

  #deciderOf(pair: LoadedPair): Decider {
    const { modules } = this.#base;
    const executor = executorOf(modules, pair);
    return createDecider({
      bundles: { current: () => pair },
      record: modules.record,
      executorFor: () => executor,
    });
  }

  #violations(boundary: Boundary, input: Uint8Array): Decided['violations'] {
    const { modules, overview } = this.#base;
    try {
      const schema = encoder.encode(JSON.stringify(overview.schemas[boundary]));
      const { violations } = modules.arguments.validate(schema, input);
      return violations.map(({ pointer, message }) => ({ pointer, message }));
    } catch {
      return []; // the decision says what is wrong with an input that cannot be read
    }
  }

  /** The rules behind a decision, and the lines that it looked at. */
  async explain(
    { boundary, input }: Questions['explain']['ask'],
    onProgress: Progress,
  ): Promise<Explained> {
    const { overview } = this.#base;
    const compiler = await loadCompiler(this.#platform, overview, onProgress);
    onProgress('Following the rules');
    const explanation = explainDecision(compiler, {
      ...{ sources: this.#sources, data: this.#data, boundary },
      input: JSON.parse(input) as JsonValue,
    });
    const picture = pictureOf(viewOf(explanation)) as unknown as JsonValue;
    return { picture, coverage: coverageOf(explanation) };
  }

  /** A decision that stands in the platform's evidence. */
  async fetch({ id }: Questions['fetch']['ask']): Promise<Questions['fetch']['answer']> {
    return this.#platform.decision(id);
  }

  /** Executes recorded decisions again, each under the bundles that it names. */
  async replay({ text, openings }: Questions['replay']['ask']): Promise<Replayed[]> {
    const { overview, modules } = this.#base;
    const objects = {
      get: (digest: string) => this.#platform.object(digest),
      getBundle: (revision: string) => this.#platform.bundle(revision),
    };
    const executors = new Executors(objects, overview.keys);
    const replayed: Replayed[] = [];
    for (const decision of decisionsIn(text)) {
      const { id, boundary, module } = decision;
      const options = {
        record: modules.record,
        objects,
        executors,
        openings: importOpenings(openings),
      };
      replayed.push({ ...(await replayDecision(decision, options)), id, boundary, module });
    }
    return replayed;
  }

  /** What the draft decides otherwise of what was recorded last at a boundary. */
  async flips(
    { boundary, openings }: Questions['flips']['ask'],
    onProgress: Progress,
  ): Promise<Flips> {
    onProgress('Reading recorded decisions');
    const { decisions, more } = await this.#platform.decisions(boundary);
    onProgress(`Deciding ${decisions.length} recorded decisions again`);
    const { modules, overview } = this.#base;
    const under = {
      ...{ draft: this.#draft, modules, platform: this.#platform, keys: overview.keys },
      openings: importOpenings(openings),
    };
    const flips = await flipsOf(decisions as unknown as Recorded[], under);
    return { ...flips, more };
  }
}

/** How long a decision takes once the engine has compiled it, in microseconds. */
function medianOf(decide: () => unknown): number {
  const times = Array.from({ length: REPEATS }, () => {
    const started = performance.now();
    decide();
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[REPEATS >> 1]! * 1000;
}

async function bundleOf(platform: Platform, revision: string): Promise<BundleFiles> {
  const files = await platform.bundle(revision);
  if (files !== undefined) return files;
  throw new PlatformError('bundle_missing', `the platform does not keep the bundle ${revision}`);
}

/** The id of the key that signed a bundle, whose signature was verified. */
function signerOf(policy: BundleFiles): string {
  const { signatures } = readJson(policy, SIGNATURES) as { signatures: string[] };
  return decodeProtectedHeader(signatures[0] ?? '').kid ?? '';
}

/** What a schema calls its boundary. */
function titleOf(schema: JsonObject | undefined): string {
  return isJsonObject(schema) && typeof schema.title === 'string' ? schema.title : '';
}
