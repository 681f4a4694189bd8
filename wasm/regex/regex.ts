// The one linear-time pattern engine that the modules share, for two dialects: `compile` takes patterns of ECMA-262
// (u flag), which JSON Schema has, `compileRe2` those of Go's package regexp, which Rego has. Both are compiled to
// the same programs: `search` tells whether one matches, `find` where and what its groups captured.

export { compile, compileError, compileRe2 } from './compile';
export { canCapture, find, slotsOfProgram, UNSET } from './find';
export { RegexError } from './program';
export { search, searchSteps } from './search';
