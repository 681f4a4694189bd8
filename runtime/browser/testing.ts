// A page in Chromium that has the decider, for tests: the script as it is built, and nothing from a network.
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const script = new URL('./build/decider.js', import.meta.url);

/** Starts Debian's Chromium, without a window. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** An empty page in a secure context with `platformDecider`. */
export async function deciderPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  const html = '<!doctype html><title>decider</title>';
  await page.route('http://localhost/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: html }),
  );
  await page.goto('http://localhost/');
  await page.addScriptTag({ content: readFileSync(script, 'utf8') });
  return page;
}
