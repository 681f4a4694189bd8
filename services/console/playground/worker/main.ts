// The playground's worker: takes one question after another, so that the page never waits for a compiler.
import { codeOf, PlatformError } from '../../../../runtime/errors.ts';
import type { Message, Question, Questions } from '../protocol.ts';
import { Engine, type Progress } from './engine.ts';

/** Of a worker's global scope, what is used here. */
const scope = globalThis as unknown as {
  onmessage: (event: { data: Question }) => void;
  postMessage(message: Message): void;
};

let engine: Engine | undefined;
let turn: Promise<void> = Promise.resolve();

async function answer({ kind, ask }: Question, onProgress: Progress): Promise<unknown> {
  if (kind === 'load') {
    engine = await Engine.load((ask as Questions['load']['ask']).token, onProgress);
    return engine.loaded();
  }
  if (engine === undefined) throw new PlatformError('bundle_missing', 'nothing is loaded yet');
  return engine[kind](ask as never, onProgress);
}

scope.onmessage = ({ data: question }) => {
  const { number } = question;
  turn = turn.then(async () => {
    try {
      const given = await answer(question, (progress) => scope.postMessage({ number, progress }));
      scope.postMessage({ number, answer: given });
    } catch (error) {
      const hint = error instanceof PlatformError ? error.hint : undefined;
      const message = error instanceof Error ? error.message : String(error);
      scope.postMessage({ number, failure: { code: codeOf(error), message, hint } });
    }
  });
};
