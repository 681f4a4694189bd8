// The vault as it is meant to be, in memory and in few words, for the real one to be held against.
import { AGENTS } from './testing.ts';

interface ModelVersion {
  version: number;
  value: string;
  expiresAt: number | undefined;
  deleted: boolean;
}

interface ModelSecret {
  current: number;
  versions: ModelVersion[];
}

/** What the vault is meant to do, without cryptography, database or evidence. */
export class Model {
  readonly secrets = new Map<string, ModelSecret>();
  now = 0;

  /** From the narrowest to the widest. */
  scopesOf(as: string): string[] {
    const agent = `${as.slice(0, as.lastIndexOf('/'))}/*`;
    const tenant = agent.split('/').slice(0, 5).join('/');
    return [as, agent, `${tenant}/*`];
  }

  expired({ expiresAt }: ModelVersion): boolean {
    return expiresAt !== undefined && expiresAt <= this.now;
  }

  newest(secret: ModelSecret | undefined): ModelVersion | undefined {
    return secret?.versions.find(({ version }) => version === secret.current);
  }

  isLive(secret: ModelSecret | undefined): boolean {
    const newest = this.newest(secret);
    return newest !== undefined && !newest.deleted && !this.expired(newest);
  }

  find(as: string, key: string, counts: (secret: ModelSecret) => boolean): string | undefined {
    return this.scopesOf(as).find((scope) => {
      const secret = this.secrets.get(`${scope} ${key}`);
      return secret !== undefined && counts(secret);
    });
  }

  mayChange(as: string, scope: string): boolean {
    if (as === AGENTS.reader) return false;
    return as === AGENTS.keeper || scope !== this.scopesOf(as)[2];
  }

  add(scope: string, key: string, value: string, expiresAt: number | undefined): number {
    const secret = this.secrets.get(`${scope} ${key}`) ?? { current: 0, versions: [] };
    const version = secret.current + 1;
    const versions = [...secret.versions, { version, value, expiresAt, deleted: false }];
    this.secrets.set(`${scope} ${key}`, { current: version, versions: versions.slice(-5) });
    return version;
  }
}
