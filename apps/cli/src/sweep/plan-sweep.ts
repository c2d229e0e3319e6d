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
import { calibrateMachine, type CalibrationShape, type MachineRates } from '../plan/calibrate.js';
import { estimateRun } from '../plan/estimate-run.js';
import { formatDuration } from '../view/eta.js';
import type { Registry } from '../workspace.js';
import type { SweepRun } from './sweep-runs.js';

export interface VariantPlan {
  readonly name: string;
  readonly steps: number;
  /** seconds of one whole run, validation included; absent where the device is not timed */
  readonly seconds?: number;
  readonly threads: number;
}

export interface RunPlan {
  readonly run: SweepRun;
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

type Calibrate = (shape: CalibrationShape) => Promise<MachineRates>;

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
  if (calibrate === undefined) return { name, steps, threads: 1 };
  const plugins = await isolateRun(planned.spec, registry);
  const { expected, threads } = await estimateRun(planned, plugins, calibrate).finally(() =>
    plugins.dispose(),
  );
  const { secondsPerStep, collectSeconds } = expected;
  if (secondsPerStep === undefined || collectSeconds === undefined) return { name, steps, threads };
  const { trajectoriesPerStep, greedyPerStep = 0 } = planned.derived;
  const perEpisode = collectSeconds / (trajectoriesPerStep + greedyPerStep);
  const seconds = steps * secondsPerStep + countValidated(planned.spec) * perEpisode;
  return { name, steps, threads, seconds };
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
  const known = new Map<string, Promise<MachineRates>>();
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
    if (plan.seconds === undefined)
      return isFinished ? { run, steps, seconds: 0, processorSeconds: 0 } : { run, steps };
    const seconds = (plan.seconds * steps) / plan.steps;
    return { run, steps, seconds, processorSeconds: seconds * plan.threads };
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
    `start sweep ${name}: ${plans.length} runs need about ${time(needed)} of processor time, ${time(needed - budget)} more than the budget of ${time(budget)}; ${[...whatToDrop(plans, budget, needed), 'raise --budget'].join(', or ')}`,
    { details: { neededSeconds: Math.round(needed), budgetSeconds: budget } },
  );
}

/** The last seeds, the dearest variants, or a part of the steps: each alone is enough. */
function whatToDrop(plans: readonly RunPlan[], budget: number, needed: number): string[] {
  const cost = (of: readonly RunPlan[]): number => sumSeconds(of, 'processorSeconds') ?? 0;
  const seeds = [...new Set(plans.map(({ run }) => run.seed))];
  const fitting = seeds.findLastIndex(
    (_, last) => cost(plans.filter(({ run }) => seeds.indexOf(run.seed) <= last)) <= budget,
  );
  const kept = seeds.slice(0, fitting + 1);
  const variants = [...new Set(plans.map(({ run }) => run.variant))]
    .map((variant) => ({ variant, seconds: cost(plans.filter(({ run }) => run.variant === variant)) }))
    .sort((a, b) => b.seconds - a.seconds);
  let left = needed;
  const dropped = variants.filter(({ seconds }) => {
    if (left <= budget) return false;
    left -= seconds;
    return true;
  });
  const others = variants.filter((one) => !dropped.includes(one)).map(({ variant }) => variant);
  const steps = Math.max(...plans.map((plan) => plan.steps));
  const fewer = Math.floor((steps * budget) / needed);
  return [
    ...(kept.length === 0
      ? []
      : [`drop seed ${seeds.slice(fitting + 1).join(', ')} with --seeds ${kept.join(',')}`]),
    ...(others.length === 0
      ? []
      : [`drop ${dropped.map(({ variant }) => variant).join(', ')} with --only ${others.join(',')}`]),
    ...(fewer < 1 ? [] : [`shorten the runs with --set steps=${fewer}`]),
  ];
}
