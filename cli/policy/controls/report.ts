// Which controls the evidence of each boundary supports, and which controls nothing supports.
import type { RegoRule } from '../../../runtime/modules/rego.ts';
import { type Catalogue, type Framework, knownControls, supportedBy } from './catalogue.ts';

/** One control, and the rules whose decisions support it, by boundary. */
export interface SupportedControl {
  id: string;
  /** Paths of rules such as `platform.tool.grants`, each once, by boundary. */
  boundaries: Record<string, string[]>;
}

export interface ControlsReport {
  frameworks: Record<string, Framework & { supported: SupportedControl[]; none: string[] }>;
  /** Ids that a rule names and the catalogue does not know. */
  unknown: { id: string; file: string; row: number }[];
}

/** `every decision` stands for the boundary of what any row supports. */
const ANY = 'every decision';

/**
 * Reads what `# METADATA` of the rules says (`custom.controls`) and follows the catalogue to the other
 * frameworks. A rule counts for the boundary that its package names.
 */
export function controlsReport(rules: readonly RegoRule[], catalogue: Catalogue): ControlsReport {
  const known = knownControls(catalogue);
  const found = new Map<string, Map<string, Set<string>>>();
  const unknown: ControlsReport['unknown'] = [];
  const support = (id: string, boundary: string, rule: string) => {
    for (const control of supportedBy(catalogue, id)) {
      const boundaries = found.get(control) ?? new Map<string, Set<string>>();
      found.set(control, boundaries.set(boundary, boundaries.get(boundary) ?? new Set()));
      boundaries.get(boundary)?.add(rule);
    }
  };
  for (const id of catalogue.every_decision) support(id, ANY, 'the row itself');
  for (const rule of rules) {
    const [, , boundary] = rule.path.split('.');
    const listed = rule.custom?.controls;
    if (boundary === undefined || boundary === 'answer' || !Array.isArray(listed)) continue;
    for (const id of listed) {
      if (typeof id !== 'string') continue;
      if (known.has(id)) support(id, boundary, rule.title ?? rule.path);
      else unknown.push({ id, file: rule.file, row: rule.row });
    }
  }
  const frameworks = Object.entries(catalogue.frameworks).map(([name, framework]) => {
    const own = [...known].filter((id) => id.startsWith(`${name}:`)).sort(naturally);
    const supported = own.flatMap((id) => {
      const boundaries = found.get(id);
      return boundaries === undefined ? [] : [{ id, boundaries: plain(boundaries) }];
    });
    const none = own.filter((id) => !found.has(id));
    return [name, { ...framework, supported, none }] as const;
  });
  return { frameworks: Object.fromEntries(frameworks), unknown };
}

function plain(boundaries: Map<string, Set<string>>): Record<string, string[]> {
  const sorted = [...boundaries].sort(([a], [b]) => naturally(a, b));
  return Object.fromEntries(sorted.map(([name, rules]) => [name, [...rules].sort(naturally)]));
}

const { compare: naturally } = new Intl.Collator('en', { numeric: true });
