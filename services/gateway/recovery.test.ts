// Parts of the gateway go away in the middle of calls: clear codes, nothing without evidence, nothing lost.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EvidenceError, PlatformError } from '../../runtime/errors.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { MemoryKeyValue } from '../common/keyvalue/keyvalue.ts';
import { noCredentials } from './credentials.ts';
import type { GatewayConfig } from './gateway.ts';
import { registerTestTools, startGateway, startUpstream, type TestGateway } from './testing.ts';
import { MemoryToolStore } from './tools.ts';

async function withGateway(
  change: (config: GatewayConfig) => Partial<GatewayConfig>,
  use: (g: TestGateway) => Promise<void>,
): Promise<void> {
  const g = await startGateway(change);
  try {
    await registerTestTools(g);
    g.upstream.seen.length = 0;
    await use(g);
  } finally {
    await g.close();
  }
}

/** The real log, whose disk is away while `isAway(kind)` says so. */
function flaky(log: GatewayConfig['evidence'], isAway: (kind: string) => boolean) {
  const append: EvidenceLog['append'] = (draft) =>
    isAway(draft.kind)
      ? Promise.reject(new EvidenceError('evidence_unavailable', 'the disk is away'))
      : log.append(draft);
  return { append, putObject: (bytes: Uint8Array) => log.putObject(bytes) };
}

test('the intent row is committed before the first byte goes out', async () => {
  await withGateway(
    () => ({}),
    async (g) => {
      let atRequest: string[] = [];
      g.upstream.onRequest = async () => {
        atRequest = (await g.rows()).slice(-1).map(({ kind }) => kind);
      };
      await g.execute('orders_get', { id: '1' });
      assert.equal(atRequest, ['intent']);
    },
  );
});

test('without evidence of the intent nothing is sent; it works again by itself', async () => {
  let away = '';
  await withGateway(
    ({ evidence }) => ({ evidence: flaky(evidence, (kind) => kind === away) }),
    async (g) => {
      away = 'intent';
      const refused = await g.execute('orders_get', { id: '1' });
      assert.is(refused.status, 503);
      assert.is(refused.body.code, 'evidence_unavailable');
      assert.is(g.upstream.seen.length, 0);
      away = 'denial';
      const denied = await g.execute('nothing', {});
      assert.is(denied.body.code, 'evidence_unavailable');
      away = 'event';
      const listed = await g.call('GET', '/api/v1/tools');
      assert.is(listed.body.code, 'evidence_unavailable');
      assert.not.ok('tools' in listed.body);
      away = '';
      assert.is((await g.execute('orders_get', { id: '1' })).status, 200);
    },
  );
});

test('without evidence of the outcome the result is not released', async () => {
  let away = '';
  await withGateway(
    ({ evidence }) => ({ evidence: flaky(evidence, (kind) => kind === away) }),
    async (g) => {
      away = 'outcome';
      const answer = await g.execute('orders_get', { id: '1' });
      assert.is(answer.status, 503);
      assert.is(answer.body.code, 'evidence_unavailable');
      assert.not.match(JSON.stringify(answer.body), /total/);
      // The intent stays open, which is what recovery looks for.
      assert.is((await g.rows()).at(-1)?.kind, 'intent');
    },
  );
});

test('a database that goes away is a clear code and a row, and comes back', async () => {
  let away = false;
  class Flaky extends MemoryToolStore {
    override async get(name: string) {
      if (away) throw new PlatformError('database_unavailable', 'the database is away');
      return super.get(name);
    }
  }
  await withGateway(
    () => ({ tools: new Flaky() }),
    async (g) => {
      away = true;
      const answer = await g.execute('orders_get', { id: '1' });
      assert.is(answer.status, 503);
      assert.is(answer.body.code, 'database_unavailable');
      const row = (await g.rows()).at(-1)!;
      assert.equal([row.kind, row.reason?.code], ['denial', 'database_unavailable']);
      assert.is(row.request, answer.body.request_id);
      away = false;
      assert.is((await g.execute('orders_get', { id: '1' })).status, 200);
    },
  );
});

test('what cannot be counted is not called', async () => {
  let away = false;
  class Flaky extends MemoryKeyValue {
    override async increment(key: string, ttlSeconds: number) {
      if (away) throw new PlatformError('service_unavailable', 'no counters');
      return super.increment(key, ttlSeconds);
    }
  }
  await withGateway(
    () => ({ keyValue: new Flaky() }),
    async (g) => {
      away = true;
      const answer = await g.execute('orders_get', { id: '1' });
      assert.equal([answer.status, answer.body.code], [503, 'service_unavailable']);
      assert.is(g.upstream.seen.length, 0);
      away = false;
      assert.is((await g.execute('orders_get', { id: '1' })).status, 200);
    },
  );
});

test('over the limit of calls a minute policy refuses', async () => {
  await withGateway(
    () => ({}),
    async (g) => {
      let last = await g.execute('orders_get', { id: '1' });
      for (let count = 1; count < 121; count++) last = await g.execute('orders_get', { id: '1' });
      assert.is((last.body.reason as JsonObject).code, 'agent_rate_exceeded');
      assert.is(g.upstream.seen.length, 120);
    },
  );
});

test('a killed upstream is unreachable, and reachable again once it is back', async () => {
  await withGateway(
    () => ({}),
    async (g) => {
      assert.is((await g.execute('orders_get', { id: '1' })).body.success, true);
      await g.upstream.close();
      const answer = await g.execute('orders_get', { id: '1' });
      assert.is((answer.body.error as JsonObject).code, 'tool_unreachable');
      assert.is((await g.rows()).at(-1)?.outcome, 'error');
      g.upstream.close = (await startUpstream(Number(new URL(g.upstream.url).port))).close;
      assert.is((await g.execute('orders_get', { id: '1' })).body.success, true);
    },
  );
});

test('the outcome of a call is recorded although its client has gone', async () => {
  await withGateway(
    () => ({}),
    async (g) => {
      const leaving = new AbortController();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      g.upstream.onRequest = () => {
        leaving.abort();
        return held;
      };
      await g.execute('orders_get', { id: '1' }, { signal: leaving.signal }).catch(() => {});
      release();
      let rows = await g.rows();
      while (rows.at(-1)?.kind !== 'outcome') {
        await new Promise(setImmediate);
        rows = await g.rows();
      }
      assert.is(rows.at(-1)?.outcome, 'ok');
    },
  );
});

test('a credential that nobody provides is a failed call with an outcome', async () => {
  await withGateway(
    () => ({ credentials: noCredentials }),
    async (g) => {
      const answer = await g.execute('orders_get', { id: '1' });
      assert.is((answer.body.error as JsonObject).code, 'credential_missing');
      assert.equal(
        (await g.rows()).slice(-2).map(({ kind }) => kind),
        ['intent', 'outcome'],
      );
      assert.is(g.upstream.seen.length, 0);
    },
  );
});

test.run();
