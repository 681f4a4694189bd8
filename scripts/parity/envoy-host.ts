// Envoy as a host of parity: the merged filter as a decision point, asked over mutual TLS, one POST a decision.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { loadPair } from '../../runtime/bundle/load.ts';
import { envoyBootstrap } from '../../runtime/proxywasm/envoy/configuration.ts';
import { meshFilterConfiguration } from '../../runtime/proxywasm/mesh-filter.ts';
import { clientTls, envoyWorld } from '../../runtime/proxywasm/testing/envoy.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../runtime/testing/sample-data.ts';
import type { Fault } from './faults.ts';
import type { Answer, HostSetup, ParityHost } from './host.ts';

const SERVICE = 'vault';
/** Requests on the connection at a time. */
const STREAMS = 16;
const WAIT_MS = 60_000;

/** Starts Envoy with the bundle's own filter; the peer is an agent that may reach the service. */
export async function startEnvoyHost(setup: HostSetup): Promise<ParityHost> {
  const { folder, trusted, modules, fault } = setup;
  // Other modules than those of this checkout are in the filter already.
  const pair = await loadPair(folder, trusted, modules && { modules: {} });
  const world = await envoyWorld(
    `spiffe://${SAMPLE_TRUST_DOMAIN}/service/${SERVICE}`,
    SAMPLE_TRUST_DOMAIN,
  );
  try {
    // The digest of the filter was checked when the pair was loaded; the fault comes after that.
    const wasm = planted(Buffer.from(pair.policy.filter!), fault);
    writeFileSync(world.path('filter.wasm'), wasm);
    const own = { service: SERVICE, trustDomain: SAMPLE_TRUST_DOMAIN, decide: true };
    const given = Buffer.from(meshFilterConfiguration(pair, own)).toString();
    const configuration = misconfigured(given, fault);
    await world.start(
      envoyBootstrap({
        ...world.identity,
        ...{ filter: world.path('filter.wasm'), configuration, vmId: 'parity' },
        ...{ upstreamPort: world.upstreamPort, accessLog: world.path('access.log') },
      }),
    );
    const svid = await world.ca.issue(sampleAgent(1));
    const session = connect(`https://127.0.0.1:${world.port()}`, {
      ...clientTls(world.ca, svid),
      checkServerIdentity: () => undefined,
    });
    session.on('error', () => {}); // Each request of it fails then, and says so.
    return {
      decide: (lines) => askAll(session, lines),
      async close() {
        session.destroy();
        await world.close();
      },
    };
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** Asks for every line, so many at a time; the answers are in the order of the lines. */
async function askAll(session: ClientHttp2Session, lines: readonly string[]): Promise<Answer[]> {
  const answers = new Array<Answer>(lines.length);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < lines.length; index = next++) {
      answers[index] = await ask(session, lines[index]!);
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, work));
  return answers;
}

async function ask(session: ClientHttp2Session, line: string): Promise<Answer> {
  const headers = { ':method': 'POST', ':path': '/', 'content-type': 'application/json' };
  const stream = session.request(headers);
  stream.setTimeout(WAIT_MS, () => stream.destroy(new Error('Envoy did not answer')));
  let status = 0;
  stream.once('response', (head) => {
    status = Number(head[':status']);
  });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(line);
  await once(stream, 'end');
  const text = Buffer.concat(chunks).toString();
  // What is no answer differs from every answer: a denial of Envoy itself is shown as it came.
  if (status !== 200) return { id: `status ${status}: ${text}`, allow: false };
  return JSON.parse(text) as Answer;
}

/** The filter with one bit of its data flipped, where a text stands in it. */
function planted(wasm: Buffer, fault: Fault | undefined): Buffer {
  const text = fault?.kind === 'memory' ? fault.text : fault?.changes.envoy?.from;
  const isFilter = fault?.kind === 'memory' || fault?.changes.envoy?.file === 'filter.wasm';
  if (text === undefined || !isFilter) return wasm;
  const bytes = Buffer.from(wasm);
  let count = 0;
  // The last byte of a text in UTF-16 is zero, and left out where a data segment ends.
  for (const needle of [Buffer.from(text), Buffer.from(text, 'utf16le').subarray(0, -1)]) {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
      bytes[at + needle.length - 1]! ^= 1;
      count += 1;
    }
  }
  if (count === 0) throw new Error(`the filter has no ${text}`);
  return bytes;
}

/** The configuration with a bit of the policy's revision flipped. */
function misconfigured(configuration: string, fault: Fault | undefined): string {
  if (fault?.kind !== 'glue' || fault.changes.envoy?.file !== 'configuration') return configuration;
  return configuration.replace(
    /("policy_revision":"sha256:[0-9a-f]{63})(.)/,
    (_, before: string, last: string) => before + (Number.parseInt(last, 16) ^ 1).toString(16),
  );
}
