/** @file Whether the rewards of an environment can be earned by solving it, and only so. */
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { type Finding, note, problem, show } from './finding.js';
import {
  empty,
  followOracle,
  listAdversaries,
  playPolicy,
  type Played,
  type Policy,
  random,
} from './policies.js';

/** Noise seeds that a failed oracle gets where chance may be to blame. */
const luckTries = 4;

interface Outcome {
  readonly played: readonly Played[];
  readonly mean: number;
  /** standard error of the mean */
  readonly error: number;
}

/** Plays an environment on the states 0..episodes-1. @throws plugin.timeout, plugin.failed */
export async function checkEnvironment(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  episodes: number,
): Promise<Finding[]> {
  const play = async (policy: Policy): Promise<Outcome> => {
    const played: Played[] = [];
    for (let state = 0; state < episodes; state++)
      played.push(await playPolicy(definition, params, policy, { state, noise: state + 1 }));
    return summarize(
      played.map(({ total }) => total),
      played,
    );
  };
  const instance = definition.create(params);
  const first = await instance.reset({ state: 0, noise: 1 });
  const hasOracle = instance.oracle !== undefined;
  const canSample = first.actions !== undefined || instance.sampleAction !== undefined;
  await instance.close?.();
  const floor = await play(empty);
  const chance = canSample ? await play(random) : floor;
  const best = hasOracle ? await play(followOracle()) : undefined;
  const findings = [...judgeEmpty(floor)];
  if (best === undefined)
    findings.push(
      note('oracle', 'there is none, so the maximum is unknown', 'add `oracle` where a plan can be computed'),
    );
  else findings.push(...(await judgeOracle(best, chance, definition, params)));
  for (const policy of listAdversaries(first, definition.instruction(params)))
    findings.push(...judgeAdversary(policy.name, await play(policy), chance, best));
  return findings;
}

function summarize(totals: readonly number[], played: readonly Played[]): Outcome {
  const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
  const variance =
    totals.reduce((sum, total) => sum + (total - mean) ** 2, 0) / Math.max(1, totals.length - 1);
  return { played, mean, error: Math.sqrt(variance / totals.length) };
}

function judgeEmpty({ mean, played }: Outcome): Finding[] {
  const solved = played.filter(({ success }) => success).length;
  if (solved === 0 && mean <= 0) return [];
  const finding = `an empty reply earns ${show(mean)} on average and succeeds in ${solved} of ${played.length} states`;
  return [
    problem(
      'empty policy',
      finding,
      'pay nothing for an action that says nothing, and do not end with success',
    ),
  ];
}

async function judgeOracle(
  best: Outcome,
  chance: Outcome,
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
): Promise<Finding[]> {
  const failed = best.played.flatMap(({ success }, state) => (success ? [] : [state]));
  const unlucky =
    definition.reads?.(params).noise === false ? [] : await findUnlucky(failed, definition, params);
  const stuck = failed.filter((state) => !unlucky.includes(state));
  const of = (states: readonly number[]): string =>
    `${states.length} of ${best.played.length} states (seeds ${states.slice(0, 5).join(', ')}${states.length > 5 ? ', …' : ''})`;
  const findings: Finding[] = [];
  if (stuck.length > 0) {
    const remedy = 'mend `oracle`, raise `limits`, or draw only states that can be solved';
    findings.push(problem('oracle', `does not reach success in ${of(stuck)}`, remedy));
  }
  if (unlucky.length > 0) {
    const finding = `fails by chance in ${of(unlucky)}, and succeeds there with other noise`;
    const isTold = unlucky.some((state) => best.played[state]?.slipped === true);
    const remedy = isTold
      ? 'nothing to mend'
      : 'say `slipped` where chance changes an action, for failure labels';
    findings.push(note('oracle', finding, remedy));
  }
  if (chance.mean - best.mean > 3 * Math.hypot(chance.error, best.error) + 1e-9) {
    const finding = `earns ${show(best.mean)} on average, and random actions earn ${show(chance.mean)}`;
    findings.push(problem('oracle', finding, 'what pays most should be what solves the task'));
  }
  return findings;
}

/** States that the oracle solves with another noise seed. */
async function findUnlucky(
  states: readonly number[],
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
): Promise<number[]> {
  const found: number[] = [];
  for (const state of states) {
    for (let noise = 1; noise <= luckTries && found.at(-1) !== state; noise++) {
      const seeds = { state, noise: state + 1 + noise };
      if ((await playPolicy(definition, params, followOracle(), seeds)).success) found.push(state);
    }
  }
  return found;
}

function judgeAdversary(
  name: string,
  gained: Outcome,
  chance: Outcome,
  best: Outcome | undefined,
): Finding[] {
  const floor = Math.max(chance.mean, 0);
  if (gained.mean - floor <= 3 * Math.hypot(gained.error, chance.error) + 1e-9) return [];
  const top = best === undefined ? '' : `, the oracle ${show(best.mean)}`;
  const finding = `earns ${show(gained.mean)} on average without reading the state; random actions earn ${show(chance.mean)}${top}`;
  const isMost = best === undefined || gained.mean - floor >= (best.mean - floor) / 2;
  const remedy = 'vary what succeeds between states, or pay only for the goal';
  return [(isMost ? problem : note)(`${name} policy`, finding, remedy)];
}
