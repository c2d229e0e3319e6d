/** @file The endpoints of a run whose episodes are played by agent programs: one for each program. */
import type { PolicyEngine, RunSpec, Tokenizer } from '@espalier/contracts';
import { listTrained, listValidated, type SingleSpec } from '@espalier/contracts/mixing';
import { type AgentPlayer, openAgentPlayer } from '@espalier/endpoint';
import { type EpisodePlayer, templateVariables } from '@espalier/rollout/agents';
import { bindEnvironment, type PluginLookup } from './bind-plugins.js';

/** Who plays the episodes of agent programs. */
export interface AgentPlayers {
  /** plays the episodes of an environment; undefined: the built-in rollout does */
  readonly playerOf: (spec: SingleSpec) => EpisodePlayer | undefined;
  /** addresses of the endpoints that wait for programs from outside */
  readonly waiting: readonly string[];
  close(): Promise<void>;
}

/** Environments with the same options share an endpoint, whether they are trained or validated. */
const keyOf = ({ environment }: SingleSpec): string => JSON.stringify(environment);

/** Opens the endpoints. @throws endpoint.unusable_address, endpoint.unauthorized */
export async function openAgentPlayers(
  spec: RunSpec,
  registry: PluginLookup,
  { policy, description }: Pick<PolicyEngine, 'policy' | 'description'>,
  tokenizer: Tokenizer,
): Promise<AgentPlayers> {
  const players = new Map<string, AgentPlayer>();
  const waiting: string[] = [];
  const close = async (): Promise<void> => {
    for (const player of players.values()) await player.close();
  };
  try {
    for (const { spec: own } of [...listTrained(spec), ...listValidated(spec)]) {
      const { definition, params } = bindEnvironment(own, registry);
      if (definition.agent === undefined || players.has(keyOf(own))) continue;
      const program = definition.agent(params);
      const player = await openAgentPlayer({
        program,
        policy,
        tokenizer,
        contextLength: description.contextLength,
        variables: templateVariables(own.rollout.template),
        model: spec.name,
      });
      players.set(keyOf(own), player);
      if (program.command === undefined) waiting.push(player.url);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { playerOf: (own) => players.get(keyOf(own))?.play, waiting, close };
}
