// Serves the playground's page, its scripts, and the Wasm that they run: no data, and nothing from elsewhere.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { PlatformError } from '../../../runtime/errors.ts';
import { type ModuleName, moduleBytes } from '../../../runtime/modules/source.ts';
import { type HttpRequest, type Route, singleHeader } from '../../common/http/port.ts';
import { pageHeaders } from '../page-headers.ts';

/** With both cross-origin headers the page is isolated, which the compiler's clock needs. */
const headers = {
  ...pageHeaders("'self' 'wasm-unsafe-eval'", ["worker-src 'self'"]),
  'cross-origin-embedder-policy': 'require-corp',
};

const files: [path: string, file: string, type: string][] = [
  ['/playground', './page/playground.html', 'text/html; charset=utf-8'],
  ['/playground/page.css', './page/playground.css', 'text/css; charset=utf-8'],
  ['/playground/icon.svg', './page/icon.svg', 'image/svg+xml'],
  ['/playground/page.js', './build/page.js', 'text/javascript; charset=utf-8'],
  ['/playground/worker.js', './build/worker.js', 'text/javascript; charset=utf-8'],
];
const modules: ModuleName[] = ['record', 'scope', 'arguments', 'guard', 'engine'];

const compiler = new URL('../../../wasm/rego/compiler.wasm.br', import.meta.url);
const compilerBytesMax = 96 << 20;

/** The routes of the playground's files, which are the same for everybody. */
export function playgroundAssets(): Route[] {
  const scripts = files.map(([path, file, type]) =>
    asset(path, async () => ({ 'content-type': type, body: await built(file) })),
  );
  const wasm = modules.map((name) =>
    asset(`/playground/${name}.wasm`, async () => ({
      'content-type': 'application/wasm',
      body: moduleBytes(name),
    })),
  );
  return [...scripts, ...wasm, asset('/playground/compiler.wasm', compilerFor)];
}

type Served = Record<string, string | Uint8Array> & { body: Uint8Array };

function asset(path: string, read: (request: HttpRequest) => Promise<Served>): Route {
  return {
    ...{ method: 'GET', path, boundary: 'open' },
    async handler(request) {
      const { body, ...more } = await read(request);
      return { status: 200, headers: { ...headers, ...(more as Record<string, string>) }, body };
    },
  };
}

async function built(file: string): Promise<Uint8Array> {
  try {
    return await readFile(new URL(file, import.meta.url));
  } catch (cause) {
    throw new PlatformError('module_missing', 'the playground is not built', {
      cause,
      hint: 'run npm run setup',
    });
  }
}

/** The compiler as it is kept, compressed; its address has its digest, so that it is fetched once. */
async function compilerFor(request: HttpRequest): Promise<Served> {
  const compressed = await readFile(compiler);
  const served = {
    'content-type': 'application/wasm',
    'cache-control': 'private, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  if (/\bbr\b/.test(singleHeader(request.headers, 'accept-encoding') ?? '')) {
    return { ...served, 'content-encoding': 'br', body: compressed };
  }
  const body = await promisify(brotliDecompress)(compressed, { maxOutputLength: compilerBytesMax });
  return { ...served, body };
}
