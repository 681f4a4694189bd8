// The wire of Google's generateContent (https://ai.google.dev/api/generate-content).
import type { Reply, StreamEvent, Wire } from '../reply.ts';

/** generateContent and streamGenerateContent with `alt=sse`. */
export const googleContent: Wire = {
  whole: (reply, id) => chunk(reply, id, [...texts(reply, [reply.text]), ...calls(reply)], true),
  stream: (reply, id) => {
    const parts = [...texts(reply, reply.pieces), ...calls(reply)];
    if (parts.length === 0) return [{ data: chunk(reply, id, [], true) }];
    return parts.map((part, index): StreamEvent => {
      return { data: chunk(reply, id, [part], index === parts.length - 1) };
    });
  },
  error: googleError,
  broken: (reply) => ({ data: googleError(reply) }),
};

function googleError(reply: Reply) {
  const code = reply.status === 200 ? 500 : reply.status;
  return { error: { code, message: reply.message, status: 'INTERNAL' } };
}

function texts(reply: Reply, pieces: readonly string[]): object[] {
  const thought = reply.reasoning === '' ? [] : [{ text: reply.reasoning, thought: true }];
  return [...thought, ...pieces.filter((text) => text !== '').map((text) => ({ text }))];
}

function calls(reply: Reply): object[] {
  return reply.tools.map(({ id, name, arguments: text }) => ({
    functionCall: { id, name, args: JSON.parse(text) },
  }));
}

function chunk(reply: Reply, id: number, parts: object[], last: boolean) {
  const { input, output, cached } = reply.usage;
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        index: 0,
        ...(last ? { finishReason: reply.finish ?? 'STOP' } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: input,
      totalTokenCount: input + (last ? output : 0),
      ...(last ? { candidatesTokenCount: output } : {}),
      ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    },
    modelVersion: reply.model,
    responseId: `google-${id}`,
  };
}
