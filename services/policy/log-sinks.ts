// Where decision logs go: lines of a file or of standard output, or gzip batches to a server.
import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PlatformError } from '../../runtime/errors.ts';
import type { LogSink } from './decision-log.ts';

const TIMEOUT_MS = 10_000;

/** Appends lines to a file that only its owner reads. */
export function fileSink(path: string): LogSink {
  return (events) => appendFile(path, `${events.join('\n')}\n`, { mode: 0o600 });
}

/** Writes lines to standard output. */
export const consoleSink: LogSink = (events) =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${events.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Posts gzip batches to `<url>/logs`, as OPA's decision log API has it
 * (https://www.openpolicyagent.org/docs/management-decision-logs).
 */
export function serverSink(url: string): LogSink {
  const address = `${url.replace(/\/+$/, '')}/logs`;
  return async (events) => {
    const body = await promisify(gzip)(`[${events.join(',')}]`);
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return;
    const message = `the log server answered ${response.status}`;
    throw new PlatformError('service_unavailable', message);
  };
}

/** A file's path, the URL of a server, or `console`. */
export function sinkOf(where: string): LogSink {
  if (where === 'console') return consoleSink;
  return /^https?:\/\//.test(where) ? serverSink(where) : fileSink(where);
}
