// Serves the files of the local page, under a policy that lets them load nothing from elsewhere.
import { readFile } from 'node:fs/promises';
import type { Route } from '../common/http/port.ts';
import { pageHeaders } from './page-headers.ts';

const files: [path: string, file: string, type: string][] = [
  ['/', './page/page.html', 'text/html; charset=utf-8'],
  ['/page.js', './page/page.js', 'text/javascript; charset=utf-8'],
  ['/picture.js', './page/picture.js', 'text/javascript; charset=utf-8'],
  ['/page.css', './page/page.css', 'text/css; charset=utf-8'],
  ['/picture.css', '../../runtime/explain/picture.css', 'text/css; charset=utf-8'],
];

/** The page's files; they hold no data, which the page fetches with its token. */
export function assetRoutes(): Route[] {
  return files.map(([path, file, type]) => ({
    method: 'GET',
    path,
    boundary: 'open',
    handler: async () => ({
      status: 200,
      headers: {
        'content-type': type,
        ...pageHeaders(),
      },
      body: await readFile(new URL(file, import.meta.url)),
    }),
  }));
}
