// What a request says in the platform's name, judged as the mesh filter judges it (wasm/filter/headers.ts).

import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';

/** What is taken over of a request that a service goes on with. */
interface SaidFacts {
  requestId?: string;
  time?: string;
  salt?: string;
}

export interface JudgedHeaders extends SaidFacts {
  /** False where two readers could each believe another value, or one is malformed: a deny. */
  isSound: boolean;
  /** Names that must not reach the service, in lower case. */
  remove: string[];
}

const PREFIX = 'x-platform-';
const APPROVAL = 'x-platform-approval';
const ON_BEHALF_OF = 'x-platform-on-behalf-of';

/** Facts that a service may say, each with the one form that it has. */
const said: Record<string, { fact: keyof SaidFacts; form: RegExp }> = {
  'x-platform-request-id': {
    fact: 'requestId',
    form: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  },
  'x-platform-time': { fact: 'time', form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  'x-platform-salt': { fact: 'salt', form: /^[0-9a-f]{64}$/ },
};

/**
 * Judges the headers of a peer. Removed is every name that some reader could take for the platform's
 * (`x-platform-*`, in any case, with underscores for hyphens), but the approval, and of a service whom
 * it acts for, which `isAgentId` must know for an agent of this trust domain.
 */
export function judgeHeaders(
  headers: HeaderPairs,
  peer: { isService: boolean; isAgentId: (id: string) => boolean },
): JudgedHeaders {
  const judged: JudgedHeaders = { isSound: true, remove: [] };
  let approvals = 0;
  let behalves = 0;
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    if (!name.replaceAll('_', '-').startsWith(PREFIX)) continue;
    if (name === APPROVAL) approvals += 1;
    else if (name === ON_BEHALF_OF && peer.isService) {
      behalves += 1;
      if (!peer.isAgentId(value)) return { ...judged, isSound: false };
    } else {
      const taken = said[name];
      if (taken !== undefined && peer.isService) {
        if (judged[taken.fact] === undefined && taken.form.test(value)) judged[taken.fact] = value;
        else judged.isSound = false;
      }
      if (!judged.remove.includes(name)) judged.remove.push(name);
    }
  }
  if (approvals > 1 || behalves > 1) judged.isSound = false;
  return judged;
}
