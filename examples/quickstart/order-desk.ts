// The sample tool server: an order desk in memory, which wants an API key and describes itself in OpenAPI.
import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Order {
  id: number;
  customer: string;
  item: string;
  amount: number;
  status: 'open' | 'refunded';
  notes: string[];
}

export interface OrderDesk {
  url: string;
  close(): Promise<void>;
}

const bodyBytesMax = 64 * 1024;

/** The descriptions of its two services, as a newcomer would write them. */
export function orderDeskSpecs(): { orders: object; payroll: object } {
  const read = (name: string): object =>
    JSON.parse(readFileSync(new URL(`./${name}.openapi.json`, import.meta.url), 'utf8'));
  return { orders: read('orders'), payroll: read('payroll') };
}

/** Starts it on a free port of 127.0.0.1; every request needs the header `x-api-key`. */
export async function startOrderDesk(apiKey: string): Promise<OrderDesk> {
  const orders = new Map<number, Order>(
    [
      ['Ada', 'telescope', 420],
      ['Grace', 'compiler manual', 35],
      ['Edsger', 'fountain pen', 60],
    ].map(([customer, item, amount], index) => {
      const id = 1001 + index;
      return [id, { id, customer, item, amount, status: 'open', notes: [] } as Order];
    }),
  );
  const server = createServer((request, response) => {
    handle(request, response, orders, apiKey).catch((error: unknown) => {
      if (!response.headersSent) send(response, 400, { error: String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  orders: Map<number, Order>,
  apiKey: string,
): Promise<void> {
  if (!isKey(request.headers['x-api-key'], apiKey)) {
    return send(response, 401, { error: 'no valid x-api-key' });
  }
  const url = new URL(request.url ?? '/', 'http://desk');
  const [, root, id, verb] = url.pathname.split('/');
  if (root === 'salaries') return send(response, 200, [{ person: 'Ada', salary: 95_000 }]);
  if (root !== 'orders') return send(response, 404, { error: 'no such path' });
  if (request.method === 'GET' && id === undefined) {
    const status = url.searchParams.get('status');
    const all = [...orders.values()];
    return send(response, 200, status ? all.filter((order) => order.status === status) : all);
  }
  const order = orders.get(Number(id));
  if (order === undefined) return send(response, 404, { error: `no order ${id}` });
  if (request.method === 'GET') return send(response, 200, order);
  const body = await readJson(request);
  if (verb === 'notes') order.notes.push(String(body.text));
  else if (verb === 'refund') order.status = 'refunded';
  else return send(response, 404, { error: 'no such path' });
  return send(response, 200, order);
}

function isKey(given: string | string[] | undefined, wanted: string): boolean {
  const [left, right] = [Buffer.from(String(given)), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > bodyBytesMax) throw new Error('the body is too large');
  }
  return JSON.parse(text) as Record<string, unknown>;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
