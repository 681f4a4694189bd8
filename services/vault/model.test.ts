// The vault against a plain model in memory: the same commands, the same answers, on both databases.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database } from '../common/database/port.ts';
import { AGENTS, startVault, type TestVault } from './testing.ts';
import { Model } from './testing-model.ts';
import { databaseSuite, engines } from './testing-suites.ts';

type Real = TestVault;
const root = '/api/v1/secrets';

abstract class Command implements fc.AsyncCommand<Model, Real> {
  readonly as: string;
  readonly key: string;
  constructor(as: string, key: string) {
    this.as = as;
    this.key = key;
  }
  check(): boolean {
    return true;
  }
  abstract run(model: Model, real: Real): Promise<void>;
  toString(): string {
    return `${this.constructor.name} ${JSON.stringify(this)}`;
  }
}

class Put extends Command {
  readonly reach: number;
  readonly value: string;
  readonly check_: number | undefined;
  readonly ttlMs: number | undefined;
  constructor(
    ...[as, key, reach, value, check, ttlMs]: [
      ...[string, string, number, string],
      ...[number | undefined, number | undefined],
    ]
  ) {
    super(as, key);
    this.reach = reach;
    this.value = value;
    this.check_ = check;
    this.ttlMs = ttlMs;
  }
  async run(model: Model, real: Real): Promise<void> {
    const scope = model.scopesOf(this.as)[this.reach]!;
    const expiresAt = this.ttlMs === undefined ? undefined : model.now + this.ttlMs;
    const body: JsonObject = { value: this.value, scope };
    if (this.check_ !== undefined) body.check = this.check_;
    if (expiresAt !== undefined) body.expires_at = new Date(expiresAt).toISOString();
    const answer = await real.call(this.as, 'PUT', `${root}/${this.key}`, body);
    if (!model.mayChange(this.as, scope)) return assert.is(answer.status, 403, answer.text);
    const secret = model.secrets.get(`${scope} ${this.key}`);
    const current = model.isLive(secret) ? secret!.current : 0;
    if (this.check_ !== undefined && this.check_ !== current) {
      assert.is(answer.body.code, 'secret_version_conflict', answer.text);
      return assert.is((answer.body.data as JsonObject).version, current);
    }
    const version = model.add(scope, this.key, this.value, expiresAt);
    assert.is(answer.status, current === 0 ? 201 : 200, answer.text);
    assert.equal(answer.body, { key: this.key, scope, version });
  }
}

class Get extends Command {
  readonly version: number | undefined;
  constructor(as: string, key: string, version: number | undefined) {
    super(as, key);
    this.version = version;
  }
  async run(model: Model, real: Real): Promise<void> {
    const query = this.version === undefined ? '' : `?version=${this.version}`;
    const answer = await real.call(this.as, 'GET', `${root}/${this.key}${query}`);
    const scope = model.find(this.as, this.key, (secret) => model.isLive(secret));
    if (scope === undefined) return assert.is(answer.body.code, 'secret_denied', answer.text);
    const secret = model.secrets.get(`${scope} ${this.key}`)!;
    const wanted = this.version ?? secret.current;
    const found = secret.versions.find(({ version }) => version === wanted);
    if (found === undefined || found.deleted || model.expired(found)) {
      return assert.is(answer.body.code, 'secret_version_unknown', answer.text);
    }
    assert.is(answer.status, 200, answer.text);
    assert.is(answer.body.value, found.value);
    assert.is(answer.body.version, wanted);
    assert.is(answer.body.scope, scope);
  }
}

class Delete extends Command {
  readonly purge: boolean;
  constructor(as: string, key: string, purge: boolean) {
    super(as, key);
    this.purge = purge;
  }
  async run(model: Model, real: Real): Promise<void> {
    const path = `${root}/${this.key}?purge=${this.purge}`;
    const answer = await real.call(this.as, 'DELETE', path);
    const scope = model.find(this.as, this.key, (each) => this.purge || model.isLive(each));
    if (scope === undefined || !model.mayChange(this.as, scope)) {
      return assert.is(answer.status, 403, answer.text);
    }
    assert.is(answer.status, 200, answer.text);
    assert.is(answer.body.scope, scope);
    const name = `${scope} ${this.key}`;
    if (this.purge) model.secrets.delete(name);
    else for (const version of model.secrets.get(name)!.versions) version.deleted = true;
  }
}

class Restore extends Command {
  readonly version: number | undefined;
  constructor(as: string, key: string, version: number | undefined) {
    super(as, key);
    this.version = version;
  }
  async run(model: Model, real: Real): Promise<void> {
    const body: JsonObject = this.version === undefined ? {} : { version: this.version };
    const answer = await real.call(this.as, 'POST', `${root}/${this.key}/restore`, body);
    const scope = model.find(this.as, this.key, (each) => !model.expired(model.newest(each)!));
    if (scope === undefined || !model.mayChange(this.as, scope)) {
      return assert.is(answer.status, 403, answer.text);
    }
    const secret = model.secrets.get(`${scope} ${this.key}`)!;
    if (this.version === undefined) {
      model.newest(secret)!.deleted = false;
      return assert.equal(answer.body, { key: this.key, scope, version: secret.current });
    }
    const from = secret.versions.find(({ version }) => version === this.version);
    if (from === undefined || model.expired(from)) {
      return assert.is(answer.body.code, 'secret_version_unknown', answer.text);
    }
    const version = model.add(scope, this.key, from.value, from.expiresAt);
    assert.equal(answer.body, { key: this.key, scope, version });
  }
}

class List extends Command {
  async run(model: Model, real: Real): Promise<void> {
    const shown: string[] = [];
    let after = '';
    do {
      const path = `${root}?limit=2&prefix=${this.key.slice(0, 1)}${after}`;
      const { status, body, text } = await real.call(this.as, 'GET', path);
      if (this.as === AGENTS.reader) return assert.is(status, 403);
      assert.is(status, 200, text);
      const page = body.secrets as JsonObject[];
      shown.push(...page.map(({ scope, key, version }) => `${key} ${scope} ${version}`));
      assert.ok(page.length <= 2);
      after = body.next === null ? '' : `&after=${body.next}`;
    } while (after !== '');
    const expected = model.scopesOf(this.as).flatMap((scope) =>
      [...model.secrets]
        .filter(([name, secret]) => name.startsWith(`${scope} `) && model.isLive(secret))
        .map(([name, { current }]) => `${name.split(' ')[1]} ${scope} ${current}`)
        .filter((line) => line.startsWith(this.key.slice(0, 1))),
    );
    assert.equal(shown, expected.sort());
  }
}

class Versions extends Command {
  async run(model: Model, real: Real): Promise<void> {
    const answer = await real.call(this.as, 'GET', `${root}/${this.key}/versions`);
    const scope = model.find(this.as, this.key, (each) => !model.expired(model.newest(each)!));
    if (scope === undefined || this.as === AGENTS.reader) {
      return assert.is(answer.status, 403, answer.text);
    }
    const shown = (answer.body.versions as JsonObject[]).map(
      ({ version, deleted_at }) => `${version} ${deleted_at !== undefined}`,
    );
    const kept = model.secrets.get(`${scope} ${this.key}`)!.versions;
    const expected = kept
      .filter((version) => !model.expired(version))
      .map(({ version, deleted }) => `${version} ${deleted}`);
    assert.equal(shown, expected.reverse());
  }
}

class Wait extends Command {
  readonly ms: number;
  constructor(ms: number) {
    super('', '');
    this.ms = ms;
  }
  async run(model: Model, real: Real): Promise<void> {
    model.now += this.ms;
    real.clock.now += this.ms;
  }
}

class Sweep extends Command {
  async run(model: Model, real: Real): Promise<void> {
    await real.vault.sweep();
    for (const [name, secret] of model.secrets) {
      if (model.expired(model.newest(secret)!)) model.secrets.delete(name);
      else secret.versions = secret.versions.filter((version) => !model.expired(version));
    }
  }
}

// Mostly one agent and one key, so that versions pile up, and others enough to be mixed up with it.
const as = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(AGENTS.main, AGENTS.worker) },
  { weight: 2, arbitrary: fc.constantFrom(AGENTS.keeper, AGENTS.reader, AGENTS.stranger) },
);
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constant('a') },
  { weight: 2, arbitrary: fc.constantFrom('ab', 'b', '__proto__') },
);
const version = fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined });
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc
    .option(arbitrary, { nil: undefined, freq: 1 })
    .chain((value) => fc.constantFrom(undefined, undefined, value));
const put = fc
  .tuple(
    ...([as, key, fc.constantFrom(0, 1, 1, 1, 1, 2), fc.string({ unit: 'grapheme' })] as const),
    ...([sometimes(fc.nat(6)), sometimes(fc.integer({ min: 1, max: 60 }))] as const),
  )
  .map((all) => new Put(...all));
const get = fc.tuple(as, key, version).map((all) => new Get(...all));
const commands = fc.commands(
  [
    ...[put, put, put, put, get, get],
    fc.tuple(as, key, fc.constantFrom(false, false, false, true)).map((all) => new Delete(...all)),
    fc.tuple(as, key, version).map((all) => new Restore(...all)),
    fc.tuple(as, key).map((all) => new List(...all)),
    fc.tuple(as, key).map((all) => new Versions(...all)),
    fc.integer({ min: 1, max: 10 }).map((ms) => new Wait(ms)),
    fc.constant(new Sweep('', '')),
  ],
  { maxCommands: 100, size: 'max' },
);

for (const engine of engines()) {
  let database: Database;
  const test = databaseSuite(engine, 'model', (opened) => {
    database = opened;
  });

  test('answers as the model does', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        // Each run has a vault of its own: a cache would remember what the next line removes.
        const real = await startVault(database, { soleWriter: engine.soleWriter });
        await database.query('delete from vault_secrets');
        try {
          const model = new Model();
          model.now = real.clock.now;
          await fc.asyncModelRun(() => ({ model, real }), all);
        } finally {
          await real.close();
        }
      }),
      { numRuns: Number(process.env.PLATFORM_MODEL_RUNS ?? 15) },
    );
  });

  test.run();
}
