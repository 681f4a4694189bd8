// The tree of the policy's files: folders that open, files that are shown, marks on what was changed.
import type { PolicyFile } from '../protocol.ts';
import { element } from './dom.ts';

/** Where the data bundle's one file is shown. */
const DATA_FOLDER = 'data in force';

/** What a file's name is followed by. */
export interface FileMarks {
  changed: ReadonlySet<string>;
  wrong: ReadonlySet<string>;
  shown: string;
}

/** The tree; `choose` is called with the path of a file that was picked. */
export function fileTree(
  files: readonly PolicyFile[],
  { changed, wrong, shown }: FileMarks,
  open: ReadonlySet<string>,
  choose: (path: string) => void,
): HTMLElement {
  const folders = new Map<string, PolicyFile[]>();
  for (const file of files) {
    const folder = folderOf(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const entry = ({ path, generated }: PolicyFile) => {
    const button = element(
      'button',
      { type: 'button', class: 'file', 'aria-current': path === shown ? 'true' : undefined },
      path.slice(path.lastIndexOf('/') + 1),
    );
    if (wrong.has(path)) button.append(mark('wrong', 'has errors', '!'));
    else if (changed.has(path)) button.append(mark('changed', 'changed', '●'));
    else if (generated) button.append(mark('generated', 'generated', '⚙'));
    button.addEventListener('click', () => choose(path));
    return element('li', {}, button);
  };
  const sections = [...folders].map(([folder, list]) => {
    const isOpen = open.has(folder) || list.some(({ path }) => path === shown);
    return element(
      'details',
      { open: isOpen, 'data-folder': folder },
      element('summary', {}, folder),
      element('ul', {}, ...list.map(entry)),
    );
  });
  return element('div', { class: 'tree-of-files' }, ...sections);
}

/** The folder that a file is shown in. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : DATA_FOLDER;
}

function mark(name: string, words: string, sign: string): HTMLElement {
  return element(
    'span',
    { class: `mark-of-file ${name}`, title: words },
    element('span', { 'aria-hidden': 'true' }, sign),
    element('span', { class: 'unseen' }, words),
  );
}
