// Google's generateContent (https://ai.google.dev/api/generate-content).
import type { JsonObject } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import {
  type Answer,
  at,
  emptyAnswer,
  finished,
  fixed,
  numberOf,
  objects,
  type Piece,
  piece,
  readRest,
  rest,
  textOf,
  type Wire,
} from './wire.ts';

const PATH = /\/([^/:]+):(generateContent|streamGenerateContent)\/?$/;

export const googleContent: Wire = {
  ...{ system: 'google', provider: 'gcp.gemini', operation: 'generate_content', path: PATH },
  isStream: (_body, url) => url.pathname.endsWith(':streamGenerateContent'),
  model: (_body, url) => decodeURIComponent(PATH.exec(url.pathname)?.[1] ?? ''),
  read(body) {
    const answer = emptyAnswer();
    head(body, answer);
    for (const candidate of objects(body.candidates)) {
      for (const part of objects(at(candidate, 'content', 'parts'))) {
        if (typeof part.text === 'string') {
          (part.thought === true ? answer.others : answer.texts).push(part.text);
        }
        readRest(part, answer);
      }
      finished(answer, candidate.finishReason);
    }
    return answer;
  },
  event,
  canCut(event) {
    const [candidate, ...more] = objects(event.candidates);
    const parts = objects(at(candidate, 'content', 'parts'));
    const isText = parts.length === 1 && Object.keys(parts[0]!).every((key) => key === 'text');
    return isText && more.length === 0 && candidate?.finishReason === undefined;
  },
};

function event(event: JsonObject, answer: Answer): Piece[] {
  head(event, answer);
  return objects(event.candidates).flatMap((candidate) => {
    finished(answer, candidate.finishReason);
    const index = numberOf(candidate.index);
    return objects(at(candidate, 'content', 'parts')).flatMap((part, number) => {
      const { functionCall } = part;
      // The arguments of a call come whole, as an object: they are scanned as its JSON, and are never cut.
      if (isJsonObject(functionCall)) {
        const text = JSON.stringify(functionCall.args ?? {});
        return [fixed(`tool ${answer.tools.length} ${number}`, text, true)];
      }
      const pieces = piece(`${part.thought === true ? 'thought' : 'text'} ${index}`, part, 'text');
      const others = rest(part, [textOf(part.text)]);
      return [...pieces, ...others.map((text) => fixed(`other ${index}`, text, true))];
    });
  });
}

function head(body: JsonObject, answer: Answer): void {
  if (typeof body.responseId === 'string') answer.id = body.responseId;
  if (typeof body.modelVersion === 'string') answer.model = body.modelVersion;
  const usage = body.usageMetadata;
  if (isJsonObject(usage)) {
    answer.usage = {
      input: numberOf(usage.promptTokenCount) + numberOf(usage.toolUsePromptTokenCount),
      output: numberOf(usage.candidatesTokenCount) + numberOf(usage.thoughtsTokenCount),
      cached: numberOf(usage.cachedContentTokenCount),
      cacheWrite: 0,
    };
  }
  for (const candidate of objects(body.candidates)) {
    for (const part of objects(at(candidate, 'content', 'parts'))) {
      const call = part.functionCall;
      if (!isJsonObject(call)) continue;
      const text = JSON.stringify(call.args ?? {});
      answer.tools.push({ id: textOf(call.id), name: textOf(call.name), arguments: text });
    }
  }
}
