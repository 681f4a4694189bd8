// The sample agent: answers a customer of the order desk, and tries five things that it should not get.
import { request } from 'node:http';

const url = process.env.PLATFORM_GATEWAY_URL ?? '';

interface Answer {
  result?: unknown;
  code?: string;
  detail?: string;
  violations?: { pointer: string; message: string }[];
}

/** Calls a tool through this agent's own proxy; no key, no token: the kernel says who is calling. */
function callTool(name: string, args: object): Promise<Answer> {
  const body = JSON.stringify({ arguments: args });
  return new Promise((resolve, reject) => {
    const call = request(
      {
        socketPath: url.slice('unix:'.length),
        method: 'POST',
        path: `/api/v1/tools/${name}/execute`,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve(JSON.parse(text) as Answer);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function say(what: string, name: string, args: object): Promise<void> {
  const answer = await callTool(name, args);
  if (answer.code === undefined) {
    console.log(`${what}: ${JSON.stringify(answer.result)}`);
    return;
  }
  const violations = answer.violations?.map(({ pointer, message }) => `${pointer} ${message}`);
  console.log(`${what}: refused, ${violations?.join('; ') ?? answer.detail}`);
}

await say('read an order', 'orders_get_order', { id: 1001 });
await say('write a note', 'orders_add_note', { id: 1001, text: 'Customer called, wants a refund' });
await say('read the payroll', 'payroll_list_salaries', {});
await say('misuse a tool', 'orders_refund_order', { id: 'the first', amount: -1, force: true });
await say('leak a key', 'orders_add_note', { id: 1001, text: 'key AKIAIOSFODNN7EXAMPLE' });
await say('pay back a lot', 'orders_refund_order', { id: 1001, amount: 420 });
