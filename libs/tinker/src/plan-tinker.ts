/** @file What can be said of a run on a server before it starts: what is refused, what is sent, and what that costs. */
import type { LossSpec, RunSpec } from '@espalier/contracts';

import { chooseRoute, type LossPreference, type LossRoute } from './loss/loss-route.js';
import { refuseCritic } from './tinker-engine.js';

/** Refuses what no server of the Tinker API can do. @throws engine.unsupported */
export function validateForEngine(
  { engine }: Pick<RunSpec, 'engine'>,
  needs: { readonly critic: boolean },
  loss: LossSpec,
): void {
  if (engine === undefined) return;
  if (needs.critic) throw refuseCritic();
  chooseRoute(loss, engine.losses, false);
}

/**
 * How the losses of a run reach its server, a sentence each.
 *
 * @param takesGraphs whether the server computes losses that are sent as graphs
 */
export function describeLosses(
  { losses }: Pick<NonNullable<RunSpec['engine']>, 'losses'>,
  loss: LossSpec,
  needs: { readonly reference: boolean },
  takesGraphs: boolean,
): string[] {
  return [
    describeRoute(chooseRoute(loss, losses, takesGraphs), loss, losses),
    ...(needs.reference
      ? ['the reference policy is a second model on the server: one forward pass per step']
      : []),
  ];
}

function describeRoute(route: LossRoute, loss: LossSpec, preference: LossPreference): string {
  if (route.kind === 'named')
    return `the loss ${loss.id} is sent as ${describeName(route.loss)}: one forward and backward pass per optimizer step`;
  if (route.kind === 'traced')
    return `the loss ${loss.id} is sent as a graph of ${route.loss.graph.nodes.length} nodes, which the server computes: one request per optimizer step`;
  const why = preference === 'named' ? reasonOf(loss) : ' (engine.losses: linear)';
  return `the loss ${loss.id} is linearised: a forward pass, then a pass with the weights −dC/dlogprob; about a third more computing per optimizer step${why}`;
}

const describeName = (loss: NonNullable<LossSpec['named']>): string =>
  'lowest' in loss ? `${loss.name} with ratios from ${loss.lowest} to ${loss.highest}` : loss.name;

/** Why a loss has no name, where an option would give it one. */
const reasonOf = ({ params }: LossSpec): string =>
  Number(params['dualClip']) > 0 && !('klCoefficient' in params)
    ? '; algorithm.dualClip: 0 makes it ppo, which the server knows'
    : '';

/**
 * The key of a server: the variable TINKER_API_KEY. Where TINKER_BASE_URL is set, the key goes to that server only, whatever a
 * run names; a worker passes it on only then.
 */
export function keyFor(url: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { TINKER_API_KEY: key, TINKER_BASE_URL: own } = env;
  if (own === undefined || own === '') return key;
  return URL.canParse(own) && new URL(own).origin === new URL(url).origin ? key : undefined;
}
