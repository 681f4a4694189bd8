// Imports point one way: sdk, services, cli -> runtime -> built modules; services never import each other.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'runtime-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^runtime/' },
      to: { path: '^(services|cli|sdk|bench|examples|test)/' },
    },
    {
      name: 'services-do-not-import-each-other',
      severity: 'error',
      from: { path: '^services/([^/]+)/', pathNot: '^services/common/' },
      to: { path: '^services/', pathNot: ['^services/$1/', '^services/common/'] },
    },
    {
      name: 'common-knows-no-service',
      severity: 'error',
      from: { path: '^services/common/' },
      to: { path: '^services/', pathNot: '^services/common/' },
    },
    {
      name: 'services-do-not-import-cli-or-sdk',
      severity: 'error',
      from: { path: '^services/' },
      to: { path: '^(cli|sdk)/' },
    },
    {
      name: 'sdk-imports-only-runtime',
      severity: 'error',
      from: { path: '^sdk/typescript/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(services|cli)/' },
    },
    {
      name: 'checker-knows-no-prover',
      severity: 'error',
      from: { path: '^cli/policy/certificate/' },
      to: { path: '^cli/policy/prove/' },
    },
    {
      name: 'prover-knows-no-checker',
      severity: 'error',
      from: { path: '^cli/policy/prove/' },
      to: { path: '^cli/policy/certificate/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unlisted-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(node_modules|/dist/|/build/)' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
