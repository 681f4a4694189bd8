// A log of JSON lines, such as the proxies' access log, in files that cannot grow without end.
import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import type { JsonObject } from '../../runtime/json.ts';

const bytesMax = 64 * 1024 * 1024;
/** Lines that wait for a slow disk; beyond it they are dropped and counted, since traffic does not wait. */
const waitingBytesMax = 4 * 1024 * 1024;

/** Appends to `path`; a full file becomes `<path>.1`, in place of the one before. */
export class JsonLines {
  readonly path: string;
  #bytes: number;
  #stream: WriteStream;
  /** How many lines were dropped. */
  dropped = 0;

  constructor(path: string) {
    this.path = path;
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.#stream = this.#open();
  }

  write(line: JsonObject): void {
    if (this.#stream.writableLength > waitingBytesMax || this.#stream.destroyed) {
      this.dropped += 1;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += Buffer.byteLength(text);
    this.#stream.write(text);
    if (this.#bytes > bytesMax) this.#turn();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(resolve));
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.path, { flags: 'a', mode: 0o600 });
    stream.on('error', () => stream.destroy());
    return stream;
  }

  #turn(): void {
    this.#stream.end();
    try {
      renameSync(this.path, `${this.path}.1`);
    } catch {
      // Somebody moved it; a new one begins either way.
    }
    this.#bytes = 0;
    this.#stream = this.#open();
  }
}
