/** @file What a sweep will cost: every variant is resolved as `plan` does, and its seeds cost the same. */
import { applyOverrides, loadConfig } from '@espalier/config';
import { type SweepVariant } from '@espalier/config/sweep';
import { AppError, isAppError, type RunSpec } from '@espalier/contracts';
import { listValidated } from '@espalier/contracts/mixing';
import { limitThreads, stateOf, stepOf } from '@espalier/sweep';
import type { Console } from '../console.js';
import { isolateRun } from '../local/isolate-run.js';
import { openConfigs } from '../local/open-config.js';
import { planRun } from '../local/resolve-run.js';
import { calibrateMachine, type Calibration, type CalibrationShape } from '../plan/calibrate.js';
import { estimateRun } from '../plan/estimate-run.js';
import { counted } from '../view/numbers.js';
import { formatDuration } from '../view/eta.js';
import type { Registry } from '../workspace.js';
import type { SweepRun } from './sweep-runs.js';

export interface VariantPlan {
  readonly name: string;
  readonly steps: number;
  /** seconds of one whole run, validation included; absent where the device is not timed */
  readonly seconds?: number;
  /** the same of all threads */
  readonly processorSeconds?: number;
}

export interface RunPlan {
  readonly run: SweepRun;
  /** iterations that are done */
  readonly done: number;
  /** iterations that are not done yet */
  readonly steps: number;
  /** wall-clock seconds that are left, with the machine to itself */
  readonly seconds?: number;
  /** of all threads */
  readonly processorSeconds?: number;
}

/**
 * Plans every variant.
 *
 * @param options `threads` is the most that a run may use
 * @throws every error of bad input, with the name of the variant
 */
export async function planVariants(
  variants: readonly SweepVariant[],
  options: { threads: number | undefined; isTimed: boolean; console: Console },
): Promise<VariantPlan[]> {
  const { threads, isTimed, console } = options;
  const inputs = variants.map((variant) =>
    namingVariant(variant, () =>
      applyOverrides(loadConfig(variant.config), [...variant.overrides, ...limitThreads(variant, threads)]),
    ),
  );
  const { inputs: located, registry } = await openConfigs(inputs, [], console);
  const calibrate = rememberRates();
  const plans: VariantPlan[] = [];
  for (const [index, input] of located.entries()) {
    const variant = variants[index] as SweepVariant;
    plans.push(
      await planVariant(variant, { input, registry, console, ...(isTimed ? { calibrate } : {}) }).catch(
        (error: unknown) => namingVariant(variant, () => raise(error)),
      ),
    );
  }
  return plans;
}

type Calibrate = (shape: CalibrationShape) => Promise<Calibration>;

async function planVariant(
  { name }: SweepVariant,
  parts: {
    readonly input: Parameters<typeof planRun>[0];
    readonly registry: Registry;
    readonly console: Console;
    readonly calibrate?: Calibrate;
  },
): Promise<VariantPlan> {
  const { input, registry, console, calibrate } = parts;
  const planned = await planRun(input, [], { registry, console });
  const { steps } = planned.spec;
  if (calibrate === undefined) return { name, steps };
  const plugins = await isolateRun(planned.spec, registry);
  const { expected } = await estimateRun(planned, plugins, calibrate).finally(() => plugins.dispose());
  const { trajectoriesPerStep, greedyPerStep = 0 } = planned.derived;
  const validated = countValidated(planned.spec) / (trajectoriesPerStep + greedyPerStep);
  const whole = (perStep: number | undefined, collect: number | undefined): number | undefined =>
    perStep === undefined || collect === undefined ? undefined : steps * perStep + validated * collect;
  const seconds = whole(expected.secondsPerStep, expected.collectSeconds);
  const processorSeconds = whole(expected.processorSecondsPerStep, expected.collectProcessorSeconds);
  return seconds === undefined || processorSeconds === undefined
    ? { name, steps }
    : { name, steps, seconds, processorSeconds };
}

/** Episodes of all validations of a run. */
export function countValidated(spec: RunSpec): number {
  const { every, atStart, atEnd } = spec.validation;
  const regular = every === 0 ? 0 : Math.floor(spec.steps / every);
  const isAtEndAlready = every !== 0 && spec.steps % every === 0;
  const times = Number(atStart) + regular + Number(atEnd && !isAtEndAlready);
  return times * listValidated(spec).reduce((sum, one) => sum + one.spec.validation.episodes, 0);
}

/** The machine is timed once for equal shapes. */
function rememberRates(): Calibrate {
  const known = new Map<string, Promise<Calibration>>();
  return (shape) => {
    const key = JSON.stringify(shape);
    const rates = known.get(key) ?? calibrateMachine(shape);
    known.set(key, rates);
    return rates;
  };
}

function raise(error: unknown): never {
  throw error;
}

function namingVariant<T>(variant: SweepVariant, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `variant "${variant.name}": ${error.message}`, {
      cause: error,
      details: error.details,
    });
  }
}

/** What is left of each run; one that has finished costs nothing. */
export function planRuns(runs: readonly SweepRun[], plans: readonly VariantPlan[]): RunPlan[] {
  const byName = new Map(plans.map((plan) => [plan.name, plan]));
  return runs.map((run) => {
    const plan = byName.get(run.variant) as VariantPlan;
    const state = stateOf(run);
    const isFinished = state === 'finished';
    const done = isFinished ? plan.steps : state === 'absent' ? 0 : Math.min(stepOf(run), plan.steps);
    const steps = plan.steps - done;
    if (plan.seconds === undefined || plan.processorSeconds === undefined)
      return isFinished ? { run, done, steps, seconds: 0, processorSeconds: 0 } : { run, done, steps };
    const share = steps / plan.steps;
    return {
      run,
      done,
      steps,
      seconds: plan.seconds * share,
      processorSeconds: plan.processorSeconds * share,
    };
  });
}

/** Sum over the runs; undefined when one of them is not timed. */
export function sumSeconds(
  plans: readonly RunPlan[],
  of: 'seconds' | 'processorSeconds',
): number | undefined {
  return plans.reduce<number | undefined>((sum, plan) => {
    const own = plan[of];
    return sum === undefined || own === undefined ? undefined : sum + own;
  }, 0);
}

/**
 * Refuses a sweep that is larger than its budget.
 *
 * @param budget seconds of processor time
 * @throws cli.over_budget saying by how much, and what to drop
 */
export function requireBudget(name: string, plans: readonly RunPlan[], budget: number): void {
  const needed = sumSeconds(plans, 'processorSeconds');
  if (needed === undefined)
    throw new AppError(
      'cli.over_budget',
      `start sweep ${name}: its time is not predicted for this device, so it cannot be held to a budget; leave out the budget`,
    );
  if (needed <= budget) return;
  const time = (seconds: number): string => formatDuration(seconds * 1000);
  throw new AppError(
    'cli.over_budget',
    `start sweep ${name}: ${counted(plans.length, 'run')} would take about ${time(needed)} of processor time, ${time(needed - budget)} more than the budget of ${time(budget)}; ${[...whatToDrop(plans, budget), 'raise --budget'].join(', or ')}`,
    { details: { neededSeconds: Math.round(needed), budgetSeconds: budget } },
  );
}

/** The last seeds, the dearest variants, or a part of the steps, where each alone is enough; else seeds and variants together. */
function whatToDrop(plans: readonly RunPlan[], budget: number): string[] {
  const seeds = seedsOf(plans);
  const fitting = seeds.findLastIndex(
    (_, last) => costOf(withSeeds(plans, seeds.slice(0, last + 1))) <= budget,
  );
  const kept = seeds.slice(0, fitting + 1);
  const others = variantsWithin(plans, budget);
  const fewer = stepsWithin(plans, budget);
  const ways = [
    ...(kept.length === 0
      ? []
      : [`drop seed ${seeds.slice(fitting + 1).join(', ')} with --seeds ${kept.join(',')}`]),
    ...(others.length === 0
      ? []
      : [`drop ${without(variantsOf(plans), others).join(', ')} with --only ${others.join(',')}`]),
    ...(fewer === undefined ? [] : [`shorten the runs with --set steps=${fewer}`]),
  ];
  return ways.length > 0 ? ways : dropBoth(plans, budget);
}

/** The most steps of each run, those that are done included, that fit; undefined where nothing would train. */
function stepsWithin(plans: readonly RunPlan[], budget: number): number | undefined {
  const upTo = (limit: number): number =>
    plans.reduce((sum, { done, steps, processorSeconds = 0 }) => {
      const left = steps === 0 ? 0 : Math.max(0, limit - done);
      return sum + (left === 0 ? 0 : (processorSeconds * left) / steps);
    }, 0);
  let [fits, tooMany] = [0, Math.max(...plans.map(({ done, steps }) => done + steps))];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (upTo(middle) <= budget) fits = middle;
    else tooMany = middle;
  }
  return upTo(fits) > 0 ? fits : undefined;
}

/** The most runs that fit with fewer seeds and fewer variants; none where not even one run does. */
function dropBoth(plans: readonly RunPlan[], budget: number): string[] {
  const seeds = seedsOf(plans);
  const [best] = seeds
    .map((_, last) => seeds.slice(0, last + 1))
    .map((kept) => ({ kept, only: variantsWithin(withSeeds(plans, kept), budget) }))
    .sort((a, b) => b.kept.length * b.only.length - a.kept.length * a.only.length);
  if (best === undefined || best.only.length === 0) return [];
  const dropped = without(variantsOf(plans), best.only).join(', ');
  return [
    `drop seed ${without(seeds, best.kept).join(', ')} and ${dropped} with --seeds ${best.kept.join(',')} --only ${best.only.join(',')}`,
  ];
}

/** What is left when the dearest variants are dropped until the rest fits. */
function variantsWithin(plans: readonly RunPlan[], budget: number): string[] {
  const variants = variantsOf(plans)
    .map((variant) => ({ variant, seconds: costOf(plans.filter(({ run }) => run.variant === variant)) }))
    .sort((a, b) => b.seconds - a.seconds);
  let left = costOf(plans);
  const dropped = variants.filter(({ seconds }) => {
    if (left <= budget) return false;
    left -= seconds;
    return true;
  });
  return without(variants, dropped).map(({ variant }) => variant);
}

const costOf = (plans: readonly RunPlan[]): number => sumSeconds(plans, 'processorSeconds') ?? 0;
const seedsOf = (plans: readonly RunPlan[]): number[] => [...new Set(plans.map(({ run }) => run.seed))];
const variantsOf = (plans: readonly RunPlan[]): string[] => [...new Set(plans.map(({ run }) => run.variant))];
const withSeeds = (plans: readonly RunPlan[], seeds: readonly number[]): RunPlan[] =>
  plans.filter(({ run }) => seeds.includes(run.seed));
const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter((one) => !some.includes(one));
