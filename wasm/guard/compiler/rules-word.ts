// Tells which rules find what may not begin in the middle of a word: engine/word.ts looks before a match is tried.
import type { Tree } from './re2.ts';
import type { Rule } from './rules.ts';

/** Whether findings of the rule are credentials, and begin where its matches do. */
export function beginsWord({ set, pattern, group }: Rule): boolean {
  return set === 'secrets' && (group === 0 || beginsWith(pattern.tree, group));
}

/** Whether whatever the tree matches begins with what the group does. */
function beginsWith(tree: Tree, group: number): boolean {
  if (tree.kind === 'group') return tree.index === group || beginsWith(tree.item, group);
  if (tree.kind !== 'concat') return false;
  const first = tree.items.find(({ kind }) => kind !== 'assert' && kind !== 'empty');
  return first !== undefined && beginsWith(first, group);
}
