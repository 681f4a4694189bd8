// The one linear-time pattern engine that the modules share: `compile` once, `search` often.

export { compile, compileError } from './compile';
export { RegexError } from './program';
export { search, searchSteps } from './search';
