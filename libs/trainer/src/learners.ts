/** @file The models that learn in an iteration, with the losses of the algorithms and what these compute before each step. */
import type { LossSpec } from '@espalier/contracts';
import type { StepSequence } from '@espalier/plugin-kit';
import type { TrainingExample } from './batch.js';
import { criticColumn } from './critics.js';
import type { RunContext } from './run-context.js';
import { plannedSteps } from './schedule.js';
import { indicesByTag } from './select-groups.js';
import type { Teaching } from './self-distillation.js';
import type { StepColumns } from './step-columns.js';
import { algorithmOf, type BoundAlgorithm, ownerOf } from './tag-algorithms.js';
import type { Learner } from './update.js';
import type { ValueScales } from './value-scale.js';

/**
 * Lists the models that learn in this iteration; during critic warm-up only the critics. Without a gradient from what was
 * played critics still learn from returns, and the policy where its loss pulls it to a reference.
 */
export function learnersOf(
  run: RunContext,
  {
    hasGradient,
    scales,
    teaching,
  }: {
    readonly hasGradient: boolean;
    readonly scales: ValueScales | undefined;
    readonly teaching: Teaching | undefined;
  },
): { policy?: Learner; critics: readonly Learner[] } {
  const { engine, critics, ownAlgorithms, state, spec } = run;
  const valueLosses = mapOwn(run, valueLossOf);
  const valueLoss = valueLossOf(run) ?? [...(valueLosses?.values() ?? [])][0];
  const isWarmup = critics.length > 0 && state.step < spec.update.criticWarmup;
  const loss = policyLossOf(run);
  const ownLosses = mapOwn(run, policyLossOf);
  const isPulled = [loss, ...(ownLosses?.values() ?? [])].some(({ columns }) =>
    columns.includes('referenceLogprobs'),
  );
  const planned = plannedSteps(spec, critics.length > 0, state.recovery.extraSteps);
  const policy = {
    model: engine.policy,
    loss,
    ownLosses,
    stepsBefore: state.policySteps,
    plannedSteps: planned.policy,
    teaching,
    stepColumns: [run, ...(ownAlgorithms?.values() ?? [])].every(
      ({ algorithm }) => algorithm.stepColumns === undefined,
    )
      ? undefined
      : {
          model: engine.policy,
          compute: (sequences: readonly StepSequence[], examples: readonly TrainingExample[]) =>
            computeColumns(sequences, examples, run),
        },
  };
  return {
    ...(isWarmup || !(hasGradient || isPulled) ? {} : { policy }),
    critics:
      valueLoss === undefined
        ? []
        : critics.map((model, index) => ({
            model,
            loss: valueLoss,
            ownLosses: valueLosses,
            stepsBefore: state.criticSteps,
            plannedSteps: planned.critic,
            scales,
            valuesFrom: critics.length > 1 ? criticColumn(index) : undefined,
          })),
  };
}

const policyLossOf = ({ algorithm, algorithmParams }: BoundAlgorithm): LossSpec =>
  algorithm.policyLoss(algorithmParams);

const valueLossOf = ({ algorithm, algorithmParams }: BoundAlgorithm): LossSpec | undefined =>
  algorithm.needs(algorithmParams).critic ? algorithm.valueLoss?.(algorithmParams) : undefined;

/** Asks the algorithm of each tag that has its own; undefined: none has. */
function mapOwn<Value>(
  { ownAlgorithms }: RunContext,
  ask: (own: BoundAlgorithm) => Value | undefined,
): ReadonlyMap<string, Value> | undefined {
  if (ownAlgorithms === undefined) return undefined;
  const found = [...ownAlgorithms].map(([tag, own]) => [tag, ask(own)] as const);
  return new Map(found.flatMap(([tag, value]) => (value === undefined ? [] : [[tag, value] as const])));
}

/** Lets each algorithm compute the columns of its sequences. */
function computeColumns(
  sequences: readonly StepSequence[],
  examples: readonly TrainingExample[],
  run: RunContext,
): ReturnType<StepColumns> {
  const columns: Readonly<Record<string, ArrayLike<number>>>[] = sequences.map(() => ({}));
  const owners = examples.map(({ trajectory: { environmentTag = '' } }) =>
    ownerOf(environmentTag, run.ownAlgorithms),
  );
  for (const [tag, indices] of indicesByTag(owners)) {
    const { algorithm, algorithmParams } = algorithmOf(tag, run);
    if (algorithm.stepColumns === undefined) continue;
    const own = algorithm.stepColumns(
      indices.map((index) => sequences[index] as StepSequence),
      algorithmParams,
    );
    indices.forEach((index, place) => (columns[index] = own[place] ?? {}));
  }
  return columns;
}
