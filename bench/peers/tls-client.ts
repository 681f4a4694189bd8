// One connection with mutual TLS that posts the same request again and again, with little of its own in between.
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

export interface Client {
  /** One request; microseconds until the whole answer is here. Rejects on any status but 200. */
  post(): Promise<number>;
  close(): void;
}

/** Connects and prepares the bytes of the request. */
export async function tlsClient(
  port: number,
  identity: { ca: string; cert: string; key: string },
  { path, body }: { path: string; body: string },
): Promise<Client> {
  const socket = connect({
    ...{ host: '127.0.0.1', port, ...identity, ALPNProtocols: ['http/1.1'] },
    checkServerIdentity: () => undefined,
  });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  const request = Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      ...['host: service', 'content-type: application/json', 'accept: application/json'],
      `content-length: ${Buffer.byteLength(body)}`,
      ...['', body],
    ].join('\r\n'),
  );
  return {
    async post() {
      const sent = process.hrtime.bigint();
      socket.write(request);
      await answered(socket);
      return Number(process.hrtime.bigint() - sent) / 1e3;
    },
    close: () => void socket.destroy(),
  };
}

/** Resolves when an answer has come whole, by its `content-length`. */
function answered(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (error?: Error) => {
      socket.off('data', take).off('close', closed);
      if (error === undefined) resolve();
      else reject(error);
    };
    const closed = () => end(new Error(`the connection was closed: ${text}`));
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /\r\n(?:content-length: (\d+)|transfer-encoding: chunked)\r\n/i.exec(text);
      const isWhole =
        length?.[1] === undefined
          ? text.endsWith('0\r\n\r\n')
          : text.length === head + 4 + Number(length[1]);
      if (!isWhole) return;
      end(text.startsWith('HTTP/1.1 200') ? undefined : new Error(text));
    };
    socket.on('data', take).on('close', closed);
  });
}
