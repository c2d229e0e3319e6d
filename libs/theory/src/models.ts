/** @file The toy problems as `espalier theory` runs them: what can be set, what is compared, and exact beside simulated. */
import { AppError } from '@espalier/contracts';
import { computeTrap, type EchoTrap, expectedStep, type TrapPath } from './echo-trap.js';
import { sampleGradient } from './sample-gradient.js';
import {
  type Divisor,
  expectStep,
  followExpected,
  type NoiseSeed,
  type SharedNoise,
  simulate,
} from './shared-noise.js';
import { simulateTrap } from './simulate-trap.js';

/** A quantity, computed and simulated. */
export interface Comparison {
  readonly setting: string;
  readonly quantity: string;
  readonly exact: number;
  readonly simulated: number;
  /** standard error of the simulation; null: only the limit of many groups is computed, so no test is made */
  readonly error: number | null;
}

/** A quantity over the steps of a setting, computed. */
export interface Curve {
  readonly setting: string;
  readonly quantity: string;
  readonly values: readonly number[];
}

export interface TheoryResult {
  readonly comparisons: readonly Comparison[];
  readonly curves: readonly Curve[];
}

export interface Setting {
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
  readonly about: string;
}

export interface TheoryModel {
  readonly summary: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /** @throws contracts.invalid_value when settings contradict each other */
  run(settings: Readonly<Record<string, number>>, seed: number): TheoryResult;
}

const share = (value: number, about: string): Setting => ({
  value,
  least: 0.001,
  most: 0.999,
  isWhole: false,
  about,
});
const whole = (value: number, least: number, most: number, about: string): Setting => ({
  value,
  least,
  most,
  isWhole: true,
  about,
});
const rate = (value: number, about: string): Setting => ({
  value,
  least: 1e-3,
  most: 100,
  isWhole: false,
  about,
});

export const models: Readonly<Record<string, TheoryModel>> = {
  'shared-noise': {
    summary: 'a bandit whose groups share the draw of the risky arm, or do not, under three divisors',
    settings: {
      safe: share(0.1, 'pay of the safe arm; the risky one pays 1 or 0'),
      chance: share(0.25, 'probability that the risky arm pays'),
      groupSize: whole(8, 2, 64, 'members of a group'),
      groups: whole(64, 1, 1024, 'groups of a step, in the simulation'),
      start: share(0.35, 'probability of the risky arm at the beginning'),
      learningRate: rate(0.5, 'step of the logit per unit of gradient'),
      steps: whole(200, 1, 2000, 'steps'),
    },
    run: (settings, seed) => runSharedNoise(settings as unknown as SharedNoise, seed),
  },
  'echo-trap': {
    summary: 'a policy that reads its prompt or echoes a phrase, where few groups tell the two apart',
    settings: {
      groups: whole(8, 1, 16, 'groups of a step, each of two replies'),
      telling: whole(1, 1, 16, 'of these, on prompts that reward reading'),
      kept: whole(2, 1, 16, 'groups that the filter keeps, in the settings with a filter'),
      read: share(0.6, 'probability that a telling prompt pays a reply that read it'),
      echo: share(0.4, 'the same for the phrase'),
      noise: whole(5, 2, 20, 'other prompts pay their mean ± 1 / (2 · noise)'),
      start: share(0.5, 'probability of reading at the beginning'),
      learningRate: rate(6, 'step of the logit per unit of gradient, without a filter'),
      steps: whole(200, 1, 1000, 'steps'),
      prompts: whole(64, 2, 1_000_000, 'different prompts, for the mutual information'),
      runs: whole(200, 10, 5000, 'simulated runs of each setting'),
    },
    run: (settings, seed) => {
      const { runs = 1, ...model } = settings;
      return runEchoTrap({ ...(model as unknown as EchoTrap), divisor: 'group' }, runs, seed);
    },
  },
};

const noiseSeeds: readonly NoiseSeed[] = ['per-trajectory', 'per-group'];
const divisors: readonly Divisor[] = ['group', 'batch', 'none'];
const sampledGroups = 20_000;

function runSharedNoise(model: SharedNoise, seed: number): TheoryResult {
  const comparisons: Comparison[] = [];
  const curves: Curve[] = [];
  for (const noiseSeed of noiseSeeds)
    for (const divisor of divisors) {
      const setting = `${noiseSeed}, divisor ${divisor}`;
      const sampled = sampleGradient(model, divisor, noiseSeed, sampledGroups, seed);
      const path = followExpected(model, divisor, noiseSeed);
      comparisons.push(
        {
          setting,
          quantity: 'gradient at the start',
          exact: expectStep(model, model.start, divisor, noiseSeed).gradient,
          simulated: sampled.mean,
          error: sampled.error,
        },
        {
          setting,
          quantity: 'risky arm at the end',
          exact: path.success.at(-1) ?? Number.NaN,
          simulated: simulate(model, divisor, noiseSeed, seed).at(-1) ?? Number.NaN,
          error: null,
        },
      );
      curves.push(
        { setting, quantity: 'success', values: path.success },
        { setting, quantity: 'deviation', values: path.deviation },
      );
    }
  return { comparisons, curves };
}

/** All as fast as without a filter at the start, so that only what else differs shows. */
function runEchoTrap(model: EchoTrap, runs: number, seed: number): TheoryResult {
  for (const name of ['telling', 'kept'] as const)
    if (model[name] > model.groups)
      throw new AppError(
        'contracts.invalid_value',
        `echo-trap: ${name} is ${model[name]} of ${model.groups} groups; expected at most as many`,
      );
  if (model.read <= model.echo)
    throw new AppError(
      'contracts.invalid_value',
      `echo-trap: read is ${model.read} and echo ${model.echo}; expected that reading pays more often`,
    );
  const all = { ...model, kept: model.groups };
  const speed = expectedStep(all, model.start);
  const asFast = (other: EchoTrap): EchoTrap => ({
    ...other,
    learningRate: (other.learningRate * speed) / expectedStep(other, model.start),
  });
  const slow = { ...all, learningRate: model.learningRate / 4, steps: model.steps };
  const settings: readonly (readonly [string, EchoTrap])[] = [
    [`all ${model.groups} groups, divided`, all],
    [`${model.kept} kept, divided, as fast`, asFast(model)],
    [`all ${model.groups} groups, not divided, as fast`, asFast({ ...all, divisor: 'none' })],
    [`all ${model.groups} groups, divided, a quarter as fast`, slow],
  ];
  const comparisons: Comparison[] = [];
  const curves: Curve[] = [];
  for (const [setting, own] of settings) {
    const path = computeTrap(own);
    const { path: simulated, ends } = simulateTrap(own, runs, seed);
    comparisons.push(
      compareShare(setting, 'trapped runs', path, simulated, runs),
      compareMean(setting, own, path, ends),
    );
    for (const quantity of Object.keys(path) as (keyof TrapPath)[])
      curves.push({ setting, quantity, values: path[quantity] });
  }
  return { comparisons, curves };
}

function compareShare(
  setting: string,
  quantity: string,
  path: TrapPath,
  simulated: TrapPath,
  runs: number,
): Comparison {
  const exact = path.trapped.at(-1) ?? Number.NaN;
  return {
    setting,
    quantity,
    exact,
    simulated: simulated.trapped.at(-1) ?? Number.NaN,
    error: Math.sqrt((exact * (1 - exact)) / runs),
  };
}

function compareMean(
  setting: string,
  { read, echo }: EchoTrap,
  path: TrapPath,
  ends: readonly number[],
): Comparison {
  const values = ends.map((p) => p * read + (1 - p) * echo);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    setting,
    quantity: 'success at the end',
    exact: path.success.at(-1) ?? Number.NaN,
    simulated: mean,
    error: Math.sqrt(squares / (values.length - 1) / values.length),
  };
}
