// Preloaded: keeps compiled sources between starts, in the checkout, where nobody else can put any.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// A checkout that cannot be written to starts without.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
