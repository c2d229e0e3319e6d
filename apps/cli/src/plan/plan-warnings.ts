/**
 * @file What a plan warns of: options that are allowed, but that this machine or this run cannot use well. What is
 * wrong in any case is refused where the spec is read.
 */
import { availableParallelism } from 'node:os';
import {
  type DerivedNumbers,
  highestLearningRate,
  type OptimizerSpec,
  type RunSpec,
} from '@espalier/contracts';
import { listEnvironments } from '@espalier/contracts/mixing';
import { machineBytes } from '@espalier/engine';
import { freeBytesAt } from '@espalier/files';
import { listUntaught } from '@espalier/imitation';
import type { Registry } from '../workspace.js';

/** The machine that a run is planned for. */
export interface MachineLimits {
  readonly memoryBytes: number;
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
 * Lists what the run asks for that its model was not taught, where that is known: a plugin says so itself, and a warm start
 * leaves it in the folder of its model.
 */
export function listModelWarnings(spec: RunSpec, registry: Registry, folder: string): string[] {
  const { model } = spec;
  const plugin = 'use' in model ? registry.get('model', model.use) : undefined;
  const found = new Map<string, string[]>();
  for (const { tag, spec: own } of listEnvironments(spec)) {
    for (const warning of plugin?.warnings?.(own) ?? listUntaught(folder, own))
      found.set(warning, [...(found.get(warning) ?? []), ...(tag === undefined ? [] : [tag])]);
  }
  return [...found].map(([warning, tags]) =>
    tags.length === 0 ? warning : `${tags.join(', ')}: ${warning}`,
  );
}
