// Chooses the adapter when a server starts to listen; hyper-express is never needed, only preferred.
import { PlatformError } from '../../../runtime/errors.ts';
import type {
  AdapterName,
  ConnectionHook,
  HttpLimits,
  HttpServer,
  HttpServerOptions,
  ListenAddress,
} from './port.ts';
import { Router } from './router.ts';

/** What an adapter serves with. */
export interface AdapterOptions {
  router: Router;
  limits: HttpLimits;
  onConnection: ConnectionHook | undefined;
}

/** A bound server: its address and how it ends. */
export interface Listening {
  address: ListenAddress;
  close(graceMs: number): Promise<void>;
}

export type Listen = (options: AdapterOptions, address: ListenAddress) => Promise<Listening>;

/** See `createHttpServer` in port.ts; here every limit is filled in. */
export function createServer(options: HttpServerOptions & { limits: HttpLimits }): HttpServer {
  const router = new Router(options.routes);
  const { limits, onConnection } = options;
  if (onConnection !== undefined && options.adapter === 'hyper-express') {
    throw new PlatformError(
      'configuration_invalid',
      'hyper-express does not show accepted sockets: a connection hook needs the node adapter',
    );
  }
  let running: Listening | undefined;
  let name: AdapterName = 'node';
  return {
    async listen(address) {
      if (running !== undefined) throw new PlatformError('address_in_use', 'already listening');
      const wanted = onConnection === undefined ? options.adapter : 'node';
      const adapter = await loadAdapter(wanted);
      name = adapter.name;
      running = await adapter.listen({ router, limits, onConnection }, address);
    },
    address() {
      if (running === undefined) throw new PlatformError('service_unavailable', 'not listening');
      return running.address;
    },
    adapter: () => name,
    list: () => router.list(),
    async close(graceMs) {
      const closing = running;
      running = undefined;
      await closing?.close(graceMs);
    },
  };
}

async function loadAdapter(
  wanted: AdapterName | undefined,
): Promise<{ name: AdapterName; listen: Listen }> {
  if (wanted !== 'node') {
    try {
      const { loadHyperExpress } = await import('./hyper-express.ts');
      return { name: 'hyper-express', listen: await loadHyperExpress() };
    } catch (error) {
      if (wanted === 'hyper-express') {
        const message = 'hyper-express cannot be loaded here; leave the adapter out to use node';
        throw new PlatformError('configuration_invalid', message, { cause: error });
      }
    }
  }
  const { listenNode } = await import('./node.ts');
  return { name: 'node', listen: listenNode };
}
