import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyEngine, Tokenizer } from '@espalier/contracts';
import { type Endpoint, type EndpointOptions, openEndpoint } from '@espalier/endpoint';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { encodeTrajectory } from '@espalier/recorder';
import { writeTinyModel } from '../support/tiny-model.js';

export interface TinyEndpoint extends Endpoint {
  readonly engine: PolicyEngine;
  readonly tokenizer: Tokenizer;
}

/** Opens an endpoint over an untrained model of a few thousand parameters. */
export async function openTinyEndpoint(options: Partial<EndpointOptions> = {}): Promise<TinyEndpoint> {
  const folder = writeTinyModel(join(mkdtempSync(join(tmpdir(), 'espalier-endpoint-')), 'model'));
  const engine = await createEmbeddedEngine({ folder, threads: 1 });
  const tokenizer = loadTokenizer(folder);
  const endpoint = await openEndpoint({
    answering: {
      policy: engine.policy,
      tokenizer,
      contextLength: engine.description.contextLength,
      variables: {},
    },
    model: 'tiny',
    host: '127.0.0.1',
    port: 0,
    maxSessions: 1024,
    idleTimeoutMs: 60_000,
    opensByCall: true,
    needsSession: false,
    admit: ({ seed = 0 }) => ({
      rollout: {
        environment: 'endpoint',
        split: 'test',
        step: 0,
        group: 0,
        index: 0,
        seeds: { state: seed, noise: seed, sampling: seed },
      },
    }),
    encode: async (session) => {
      const trajectory = await session.ended;
      const score = { environment: 0, formatPenalty: 0, rewards: {}, perTurn: [], total: 0 };
      return encodeTrajectory({ ...trajectory, score }, { kept: false });
    },
    ...options,
  });
  return {
    ...endpoint,
    engine,
    tokenizer,
    async close() {
      await endpoint.close();
      await engine.dispose();
    },
  };
}
