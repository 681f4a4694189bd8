// The thread in which PGlite runs: takes one command at a time over its port and answers each.
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseError, type ErrorCode, PlatformError } from '../../../runtime/errors.ts';
import { openPgliteHere, type PgliteConfig } from './pglite-here.ts';
import type { Queries, SqlRow } from './port.ts';

export type Command =
  | { kind: 'open' | 'close' }
  | { kind: 'script'; text: string }
  | { kind: 'query'; text: string; values: readonly unknown[]; transaction?: number }
  | { kind: 'begin' | 'commit' | 'rollback'; transaction: number };

export type Answer =
  | { id: number; rows: SqlRow[] }
  | { id: number; failure: { code: ErrorCode; message: string; data: Record<string, unknown> } };

/** A transaction in progress: its queries, and how it is told to end. */
interface Open {
  queries: Queries;
  end: (commit: boolean) => Promise<void>;
}

const opening = openPgliteHere(workerData as PgliteConfig);
const open = new Map<number, Open>();

async function run(command: Command): Promise<SqlRow[]> {
  const database = await opening;
  if (command.kind === 'script') await database.script(command.text);
  if (command.kind === 'close') await database.close();
  if (command.kind === 'begin') await begin(command.transaction);
  if (command.kind === 'commit') await found(command.transaction).end(true);
  if (command.kind === 'rollback') await found(command.transaction).end(false);
  if (command.kind !== 'query') return [];
  const { text, values, transaction } = command;
  const queries = transaction === undefined ? database : found(transaction).queries;
  return queries.query(text, values);
}

class RolledBack extends Error {}

/** Resolves once the transaction has begun; it stays open until `end` is called. */
async function begin(transaction: number): Promise<void> {
  const database = await opening;
  const decided = Promise.withResolvers<boolean>();
  await new Promise<void>((begun, failed) => {
    const done = database.transaction(async (queries) => {
      const end = async (commit: boolean) => {
        open.delete(transaction);
        decided.resolve(commit);
        await done.catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        });
      };
      open.set(transaction, { queries, end });
      begun();
      if (!(await decided.promise)) throw new RolledBack();
    });
    done.catch(failed);
  });
}

function found(transaction: number): Open {
  const one = open.get(transaction);
  if (one) return one;
  throw new DatabaseError('database_unavailable', 'the transaction ended with its thread');
}

parentPort?.on('message', ({ id, command }: { id: number; command: Command }) => {
  run(command).then(
    (rows) => parentPort?.postMessage({ id, rows } satisfies Answer),
    (error: unknown) => parentPort?.postMessage({ id, failure: failureOf(error) } satisfies Answer),
  );
});

function failureOf(error: unknown): Extract<Answer, { failure: unknown }>['failure'] {
  const known =
    error instanceof PlatformError
      ? error
      : new DatabaseError('database_query_failed', 'the database failed in an unknown way');
  return { code: known.code, message: known.message, data: known.data };
}
