// Runs a local ONNX file that takes a text and gives probabilities, with onnxruntime-node where it is installed.
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import type { InjectionModel } from './model.ts';

/** As much of onnxruntime-node as is used here; the package is the operator's to install. */
interface OnnxRuntime {
  InferenceSession: { create(path: string): Promise<Session> };
  Tensor: new (type: 'string', data: string[], dims: number[]) => unknown;
}

interface Session {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: ArrayLike<number> }>>;
}

const packageName = 'onnxruntime-node';

/**
 * Loads the file. Its first input is a string tensor of shape [1, 1] (tokenization is part of the graph, as
 * skl2onnx and onnxruntime-extensions make it), the last number of its last output the probability of an attack.
 * Rejects with `configuration_invalid` when the package is not installed or the file is no such model.
 */
export async function onnxModel(file: string): Promise<InjectionModel> {
  const runtime = await loadRuntime();
  const session = await access(file)
    .then(() => runtime.InferenceSession.create(file))
    .catch((cause: unknown) => {
      throw new PlatformError('configuration_invalid', `${file} is no ONNX model`, { cause });
    });
  const [input = ''] = session.inputNames;
  const output = session.outputNames.at(-1) ?? '';
  return {
    name: basename(file),
    async score(text) {
      try {
        const answer = await session.run({ [input]: new runtime.Tensor('string', [text], [1, 1]) });
        const data = answer[output]?.data ?? [];
        const score = Number(data[data.length - 1]);
        if (!(score >= 0 && score <= 1)) throw new Error('its last output is no probability');
        return Math.round(score * 1000);
      } catch (cause) {
        throw new PlatformError('service_unavailable', 'the injection model gave no verdict', {
          cause,
        });
      }
    },
  };
}

async function loadRuntime(): Promise<OnnxRuntime> {
  try {
    return (await import(packageName)) as OnnxRuntime;
  } catch (cause) {
    throw new PlatformError('configuration_invalid', `${packageName} is not installed`, {
      cause,
      hint: `install it beside the platform, or set INJECTION_DETECTION_MODEL to built-in or a URL`,
    });
  }
}
