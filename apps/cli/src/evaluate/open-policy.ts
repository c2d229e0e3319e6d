/** @file Opens who plays a table: a model on this machine, or an agent behind an API. */
import type { PolicyEngine, Tokenizer } from '@espalier/contracts';
import { createMessageEngine, createMessageTokenizer } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { openSamplingEngine } from '@espalier/trainer';
import { AgentClient, type AgentParts } from '../agents/agent-client.js';
import { requireSamplingDevice } from '../local/require-device.js';
import type { Place, PlannedModel } from './plan-table.js';

export interface OpenedPolicy {
  readonly engine: PolicyEngine;
  readonly tokenizer: Tokenizer;
  /** of an agent behind an API */
  readonly client?: AgentClient;
}

/** @throws cli.no_key, and what opening a model throws */
export async function openPolicy(
  { agent }: PlannedModel,
  { model, spec }: Place,
  parts: Omit<AgentParts, 'agent'>,
): Promise<OpenedPolicy> {
  if (agent !== undefined) {
    const client = new AgentClient({ ...parts, agent });
    const engine = createMessageEngine(agent.options.model, (question) => client.reply(question));
    return { engine, tokenizer: createMessageTokenizer(), client };
  }
  if (model === undefined) throw new Error('no model was opened');
  await requireSamplingDevice(spec.device);
  const engine = await openSamplingEngine(model.folder, spec, model.base);
  return { engine, tokenizer: loadTokenizer(model.folder) };
}
