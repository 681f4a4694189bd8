// What calls cost, in US dollars, from the table that both SDKs carry or one of the user's own.
import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import { ConfigurationError } from '../errors.ts';
import type { Usage } from './wire.ts';

interface Rates {
  input: number;
  output: number;
  cached_input?: number;
  cache_write?: number;
  /** Other rates for calls with more input than that. */
  above?: Rates & { tokens: number };
}

interface Prices {
  /** The prices are for so many tokens. */
  tokens: number;
  models: Record<string, Rates>;
}

const SHIPPED = new URL('../../prices.json', import.meta.url);
const kept = new Map<string, Prices>();

/**
 * Dollars for one call; undefined for a model that the table does not have. `PLATFORM_LLM_PRICES` names a file of
 * the form of sdk/prices.json that replaces the table; throws a ConfigurationError when it cannot be read.
 */
export function costOf(model: string, usage: Usage): number | undefined {
  const { tokens, models } = prices();
  const rates = lookUp(models, model);
  if (rates === undefined) return undefined;
  const { above } = rates;
  const { input, output, cached_input, cache_write } =
    above !== undefined && usage.input > above.tokens ? above : rates;
  const plain = usage.input - usage.cached - usage.cacheWrite;
  const dollars =
    plain * input +
    usage.cached * (cached_input ?? input) +
    usage.cacheWrite * (cache_write ?? input) +
    usage.output * output;
  return dollars / tokens;
}

/** The model as it is named, then without a trailing date or `-latest`. */
function lookUp(models: Record<string, Rates>, model: string): Rates | undefined {
  const short = model.replace(/-(latest|\d{4}|\d{8}|\d{4}-\d{2}-\d{2}|\d{3})$/, '');
  for (const name of [model, short]) if (Object.hasOwn(models, name)) return models[name];
  return undefined;
}

function prices(): Prices {
  const own = process.env.PLATFORM_LLM_PRICES;
  const path = own === undefined || own === '' ? SHIPPED : own;
  let known = kept.get(String(path));
  if (known === undefined) {
    known = read(path);
    kept.set(String(path), known);
  }
  return known;
}

function read(path: string | URL): Prices {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigurationError(`the prices in ${path} cannot be read`, { cause });
  }
  const isTable =
    isJsonObject(value) && typeof value.tokens === 'number' && isJsonObject(value.models);
  if (!isTable) throw new ConfigurationError(`${path} is no table of prices like sdk/prices.json`);
  return value as JsonObject as unknown as Prices;
}
