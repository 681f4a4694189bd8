// `npm start`: sets the checkout up, starts the platform with the sample agent and stays up until Ctrl-C.
import { runUnderLockedNode } from './run.js';

runUnderLockedNode(['cli/platform.ts', 'up', '--demo', ...process.argv.slice(2)]);
