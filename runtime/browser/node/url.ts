// Names of files, as node:url takes them from the URLs of modules.

export function fileURLToPath(url: string | URL): string {
  return new URL(url).pathname;
}
