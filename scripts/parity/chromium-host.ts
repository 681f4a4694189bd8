// Chromium as a host of parity: the bundled decider in a page, which is given the bundles and batches of requests.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { BrowserDecider, createBrowserDecider } from '../../runtime/browser/index.ts';
import { startChromium } from '../../runtime/browser/testing.ts';
import { readBundle } from '../../runtime/bundle/files.ts';
import type { BundleFiles } from '../../runtime/bundle/reader.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import type { Fault } from './faults.ts';
import type { Answer, HostSetup, ParityHost } from './host.ts';
import { plantMemory } from './plant-memory.ts';

const script = new URL('../../runtime/browser/build/decider.js', import.meta.url);
type Files = [name: string, base64: string][];

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const listed = (files: BundleFiles): Files =>
  [...files].map(([name, bytes]) => [name, base64(bytes)]);

/** Starts Debian's Chromium; the page computes every id. */
export async function startChromiumHost(setup: HostSetup): Promise<ParityHost> {
  const names = ['record', 'scope', 'arguments', 'guard'] as const;
  const given = {
    policy: listed(await readBundle(join(setup.folder, 'policy'))),
    data: listed(await readBundle(join(setup.folder, 'data'))),
    modules: names.map((name): [string, string] => [
      name,
      base64(setup.modules?.[name] ?? moduleBytes(name)),
    ]),
    keys: setup.trusted,
  };
  const browser = await startChromium();
  try {
    const page = await pageOf(browser, setup.fault);
    await page.evaluate(async ({ policy, data, modules, keys }) => {
      const files = (list: Files) =>
        new Map(
          list.map(([name, text]) => [name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]),
        );
      const { platformDecider } = globalThis as never as {
        platformDecider: { createBrowserDecider: typeof createBrowserDecider };
      };
      const decider = await platformDecider.createBrowserDecider({
        ...{ policy: files(policy), data: files(data), keys },
        modules: Object.fromEntries(files(modules)) as never,
      });
      Object.assign(globalThis, { decider });
    }, given);
    return {
      decide: (lines) =>
        page.evaluate((lines) => {
          const { decider } = globalThis as never as { decider: BrowserDecider };
          return lines.map((line) => decider.decide(JSON.parse(line)) as Answer);
        }, lines),
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A page with the decider, and with the fault that is planted in it: in the script, or in the memories to come. */
async function pageOf(browser: Browser, fault: Fault | undefined): Promise<Page> {
  const page = await browser.newPage();
  const html = '<!doctype html><title>parity</title>';
  await page.route('http://localhost/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: html }),
  );
  await page.goto('http://localhost/');
  let content = await readFile(script, 'utf8');
  if (fault?.kind === 'memory') await page.evaluate(plantMemory, fault.text);
  if (fault?.kind === 'glue') {
    const { from, to } = fault.changes.chromium!;
    if (!content.includes(from)) throw new Error(`the script for browsers has no ${from}`);
    content = content.replaceAll(from, to);
  }
  await page.addScriptTag({ content });
  return page;
}
