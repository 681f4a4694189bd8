// The sample agent: helps a customer of the order desk, and tries four things that it should not get.
import { GatewayClient, platformAgent } from '../../sdk/typescript/index.ts';

const declared = { name: 'order-helper', tenant: 'acme', resources: ['orders'] };

/** No key and no token anywhere: the kernel tells the platform which process is calling. */
const help = platformAgent(declared, async () => {
  const gateway = new GatewayClient();
  const say = async (
    what: string,
    tool: string,
    args: Record<string, string | number | boolean>,
  ) => {
    const { success, result, error } = await gateway.callTool(tool, args);
    console.log(`${what}: ${success ? JSON.stringify(result) : `refused, ${reasonOf(error)}`}`);
  };
  await say('read an order', 'orders_get_order', { id: 1001 });
  await say('write a note', 'orders_add_note', { id: 1001, text: 'Customer wants a refund' });
  await say('read the payroll', 'payroll_list_salaries', {});
  await say('misuse a tool', 'orders_refund_order', { id: 'the first', amount: -1, force: true });
  await say('leak a key', 'orders_add_note', {
    id: 1001,
    text: `key ${['AKI', 'A', 'Q7PT3XKW5LM2ZRVD'].join('')}`,
  });
  await say('pay back a lot', 'orders_refund_order', { id: 1001, amount: 420 });
  gateway.close();
});

interface Refusal {
  message: string;
  violations?: { pointer: string; message: string }[];
}

function reasonOf(error: Refusal | null): string {
  const violations = error?.violations?.map(({ pointer, message }) => `${pointer} ${message}`);
  return violations?.join('; ') ?? error?.message ?? 'unknown';
}

await help();
