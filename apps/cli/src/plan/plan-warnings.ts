/**
 * @file What a plan warns of: options that are allowed, but that this machine or this run cannot use well. What is
 * wrong in any case is refused where the spec is read.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type DerivedNumbers,
  highestLearningRate,
  type OptimizerSpec,
  type RunSpec,
} from '@espalier/contracts';
import { listEnvironments } from '@espalier/contracts/mixing';
import { taughtFile } from '@espalier/contracts/model-choice';
import { machineBytes } from '@espalier/contracts/values';
import { freeBytesAt } from '@espalier/files';
import { listUntaught } from '@espalier/imitation';
import type { ModelDefinition } from '@espalier/plugin-kit';
import { paramsOf } from '@espalier/trainer';
import type { Registry } from '../workspace.js';

/** The machine that a run is planned for. */
export interface MachineLimits {
  readonly memoryBytes: number;
  /** of the GPU that computes; undefined where none is there, or none is asked for */
  readonly gpuBytes?: number | undefined;
  readonly cores: number;
  /** free for run folders */
  readonly diskBytes: number;
}

/** Gives the limits of this machine, or of the container that this process runs in, for runs in a folder that need not exist yet. */
export function measureMachine(folder: string): MachineLimits {
  return { memoryBytes: machineBytes(), cores: availableParallelism(), diskBytes: freeBytesAt(folder) };
}

/** The part of a resolved run that warnings depend on. */
interface PlannedNumbers<Section extends keyof RunSpec> {
  readonly spec: Pick<RunSpec, Section>;
  readonly derived: Pick<DerivedNumbers, 'optimizerSteps'>;
}

/** Lists what is likely not meant, one sentence each: finding, then remedy. What does not fit is in misfits.ts. */
export function listPlanWarnings(
  { spec, derived }: PlannedNumbers<'device' | 'optimizer' | 'criticOptimizer'>,
  hasCritic: boolean,
  machine: Pick<MachineLimits, 'cores'>,
): string[] {
  const { threads, provider } = spec.device;
  const warnings: string[] = [];
  if (provider === 'cuda') {
    warnings.push(
      'device.provider cuda: some gradients are added up in an order that varies, so the same seed ends with other last bits, and so does a run that is resumed; choose device.provider cpu where bits must be equal',
    );
  }
  if (threads !== undefined && threads > machine.cores) {
    warnings.push(
      `device.threads: ${threads} threads share ${machine.cores} available cores and slow each other down; leave it out to use all cores`,
    );
  }
  return [...warnings, ...listOptimizerWarnings({ spec, derived }, hasCritic)];
}

/** Lists what is likely not meant about the optimizers, which a run says as well when it starts. */
export function listOptimizerWarnings(
  {
    spec: { optimizer, criticOptimizer },
    derived: { optimizerSteps },
  }: PlannedNumbers<'optimizer' | 'criticOptimizer'>,
  hasCritic: boolean,
): string[] {
  const ofCritic = hasCritic ? optimizerWarnings('criticOptimizer', criticOptimizer, optimizerSteps) : [];
  return [...optimizerWarnings('optimizer', optimizer, optimizerSteps), ...ofCritic];
}

function optimizerWarnings(path: string, { learningRate, schedule }: OptimizerSpec, steps: number): string[] {
  const warnings: string[] = [];
  if (schedule.warmupSteps > steps) {
    warnings.push(
      `${path}.schedule.warmupSteps: ${schedule.warmupSteps} steps of warm-up, but the run has ${steps} optimizer steps and never reaches the full learning rate; lower it, or raise steps`,
    );
  }
  if (learningRate > highestLearningRate) {
    warnings.push(
      `${path}.learningRate: ${learningRate} is above ${highestLearningRate} and will likely destroy the model; 1e-5 to 1e-3 are usual`,
    );
  }
  return warnings;
}

/**
 * Lists what the run asks for that its model was not taught, where that is known, and what to do about it: a plugin says so
 * itself, and a warm start leaves it in the folder of its model.
 */
export function listModelWarnings(spec: RunSpec, registry: Registry, folder: string): string[] {
  const { model } = spec;
  const plugin = 'use' in model ? registry.get('model', model.use) : undefined;
  const found = new Map<string, string[]>();
  for (const { tag, spec: own } of listEnvironments(spec)) {
    const untaught = plugin?.warnings?.(own) ?? listUntaught(folder, own);
    const remedy = untaught.length === 0 ? '' : remedyFor(own, untaught, registry);
    for (const finding of untaught) {
      const warning = `${finding}; ${remedy}`;
      found.set(warning, [...(found.get(warning) ?? []), ...(tag === undefined ? [] : [tag])]);
    }
  }
  return [...found].map(([warning, tags]) =>
    tags.length === 0 ? warning : `${tags.join(', ')}: ${warning}`,
  );
}

type EnvironmentSpec = ReturnType<typeof listEnvironments>[number]['spec'];

/** What helps a run whose model was not taught what it asks for. */
function remedyFor(own: EnvironmentSpec, untaught: readonly string[], registry: Registry): string {
  const [nearest] = registry
    .list()
    .flatMap((one) => (one.kind === 'model' ? [{ id: one.id, gap: gapOf(findingsOf(one, own)) }] : []))
    .sort((a, b) => a.gap - b.gap);
  if (nearest?.gap === 0)
    return `the model ${nearest.id} was taught all of it: set model: { use: ${nearest.id} }`;
  if (nearest !== undefined && nearest.gap < gapOf(untaught))
    return `the model ${nearest.id} was taught more of it: set model: { use: ${nearest.id} }`;
  const { use } = own.environment;
  return hasTeacher(own, registry)
    ? `a warm start on ${use} may help (docs/use/warm-start.md)`
    : `nothing can be imitated in ${use}, so choose a model that follows instructions (docs/use/models.md)`;
}

/** How far a model is from what a run asks for; one that does not know the environment is as far as can be. */
const gapOf = (findings: readonly string[] | undefined): number =>
  findings === undefined || findings.some((finding) => finding.startsWith('environment.use:'))
    ? Infinity
    : findings.length;

/** What a model was not taught of a run; undefined where that is not known. */
function findingsOf(model: ModelDefinition<unknown>, own: EnvironmentSpec): readonly string[] | undefined {
  if (model.warnings !== undefined) return model.warnings(own);
  const parsed = model.params.safeParse({});
  if (!parsed.success) return undefined;
  const folder = model.folder(parsed.data);
  return existsSync(join(folder, taughtFile)) ? listUntaught(folder, own) : undefined;
}

/** Whether an environment has an oracle; where that is not to be found out, a warm start says so. */
function hasTeacher({ environment }: EnvironmentSpec, registry: Registry): boolean {
  const definition = registry.get('environment', environment.use);
  if (definition.agent !== undefined) return false;
  try {
    return definition.create(definition.params.parse(paramsOf(environment))).oracle !== undefined;
  } catch {
    return true;
  }
}
