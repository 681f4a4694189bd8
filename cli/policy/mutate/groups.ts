// What is mutated together: the files of one folder, their tests, and the sources that they use.
import type { PolicySources } from '../../../runtime/bundle/compile.ts';
import type { RegoFile, RegoSources } from '../../../runtime/modules/rego.ts';

/** One folder with all that its tests need. */
export interface MutationGroup {
  name: string;
  sources: RegoSources;
  /** The sources that are mutated: those of the folder that are no tests. */
  targets: RegoFile[];
}

export function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}

/**
 * The group of a folder of the sources (`tool`, `operator/my-policies`): its files, and of the packages
 * `data.platform.<name>` that they mention, directly or not, the sources without their tests.
 */
export function groupOf(sources: PolicySources, folder: string): MutationGroup {
  const own = sources.files.filter(({ path }) => path.startsWith(`${folder}/`));
  const files = new Map(own.map((file) => [file.path, file]));
  for (let before = -1; before < files.size; ) {
    before = files.size;
    const text = [...files.values()].map(({ content }) => content).join('\n');
    const used = new Set([...text.matchAll(/\bdata\.platform\.(\w+)/g)].map(([, name]) => name));
    for (const file of sources.files) {
      if (used.has(file.path.split('/')[0]) && !isTest(file.path)) files.set(file.path, file);
    }
  }
  return {
    name: folder,
    sources: {
      files: [...files.values()],
      capabilities: sources.capabilities,
      schemas: citedSchemas(sources, [...files.values()]),
    },
    targets: own.filter(({ path, generated }) => !isTest(path) && generated !== true),
  };
}

/** Only these, because the compiler reads every schema it is given anew for each mutant. */
function citedSchemas(sources: PolicySources, files: readonly RegoFile[]): RegoSources['schemas'] {
  const text = files.map(({ content }) => content).join('\n');
  const cited = new Set([...text.matchAll(/\bschema\.(\w+)/g)].map(([, name]) => name));
  return Object.fromEntries(
    Object.entries(sources.schemas ?? {}).filter(([name]) => cited.has(name)),
  );
}
