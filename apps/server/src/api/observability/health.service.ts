/**
 * @file Whether the server is ready. A feature registers its dependencies with `add`. The response, which is public, names
 * the checks and which of them failed; the reasons are only logged.
 */
import { statfs } from 'node:fs/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArtifactStore } from '../../core/artifacts/store/artifact-store.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';

/** Throws if the dependency cannot be used. */
export type HealthCheck = () => Promise<void>;

export interface Readiness {
  readonly status: 'ready' | 'not-ready' | 'stopping';
  /** `ok` or `failed`, by name */
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

const timeoutMs = 3000;
/** the endpoint is public and checks access disk, queue and store: a result is cached for this long, ms */
const rememberMs = 1000;

type Results = readonly (readonly [name: string, result: 'ok' | 'failed'])[];

@Injectable()
export class HealthService {
  private readonly log = new Logger('health');
  private readonly checks = new Map<string, HealthCheck>();
  private isStopping = false;
  private latest: { readonly results: Promise<Results>; readonly until: number } | undefined;

  constructor(source: DataSource, @Inject(SERVER_OPTIONS) options: ServerOptions, artifacts: ArtifactStore) {
    this.add('database', async () => {
      await source.query('SELECT 1');
    });
    this.add('disk', () => requireRoom(options.data, options.minFreeMb));
    this.add('artifacts', () => artifacts.check());
  }

  /** Adds a check, which runs at most once a second. */
  add(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
    this.latest = undefined;
  }

  /** Marks the server as stopping: it is not ready any more. */
  stop(): void {
    this.isStopping = true;
  }

  async readiness(): Promise<Readiness> {
    const results = await this.results();
    const isWell = results.every(([, result]) => result === 'ok');
    const status = this.isStopping ? 'stopping' : isWell ? 'ready' : 'not-ready';
    return { status, checks: Object.fromEntries(results) };
  }

  /** Concurrent and closely following requests share one result. */
  private results(): Promise<Results> {
    if (this.latest !== undefined && performance.now() < this.latest.until) return this.latest.results;
    const results = Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await this.run(name, check)] as const),
    );
    const own = (this.latest = { results, until: Infinity });
    void results.then(() => {
      if (this.latest === own) this.latest = { results, until: performance.now() + rememberMs };
    });
    return results;
  }

  private async run(name: string, check: HealthCheck): Promise<'ok' | 'failed'> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
      });
      await Promise.race([check(), late]);
      return 'ok';
    } catch (error) {
      this.log.warn(`check ${name}: ${(error as Error).message}`);
      return 'failed';
    } finally {
      clearTimeout(timer);
    }
  }
}

async function requireRoom(folder: string, minFreeMb: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMb = (bavail * bsize) / 2 ** 20;
  if (freeMb < minFreeMb)
    throw new Error(`${Math.floor(freeMb)} MiB are free at ${folder}; at least ${minFreeMb} are needed`);
}
