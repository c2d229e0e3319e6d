import { type FieldMiddleware, Float, ID, Int } from '@nestjs/graphql';
import { JsonScalar, SafeIntScalar } from '../scalars.js';
import { SpecDifference } from '../../../core/runs/comparison.type.js';
import {
  DerivedNumbers,
  ExpectedIteration,
  GraphSize,
  InertOption,
  OptionSource,
  RunEstimate,
  RunPlan,
} from '../../../core/runs/run-plan.type.js';
import { describeType } from './describe-type.js';
import { JobNeedsType, PluginVersionType } from './wire.type.js';

describeType(
  InertOption,
  { description: 'An option that changes nothing in this run.' },
  {
    path: [() => String, { description: 'Dotted path of the option.' }],
    reason: [() => String, { description: 'Why it changes nothing.' }],
    set: [() => Boolean, { description: 'The configuration sets it.' }],
  },
);

/** Plans store them by path. */
const listSources: FieldMiddleware = async (_context, next) =>
  Object.entries((await next()) as Record<string, string>).map(([path, source]): OptionSource => ({
    path,
    source,
  }));

describeType(
  OptionSource,
  { description: 'Where the value of an option comes from.' },
  {
    path: [() => String, { description: 'Dotted path of the option.' }],
    source: [
      () => String,
      {
        description:
          'The name of a file, or: --set, default, plugin default, derived, file name; parent: of the run that is forked.',
      },
    ],
  },
);

describeType(
  DerivedNumbers,
  { description: 'Numbers that follow from the options.' },
  {
    trajectoriesPerStep: [() => SafeIntScalar, { description: 'Trajectories sampled for a step.' }],
    keptGroupsPerStep: [() => SafeIntScalar, { description: 'Groups that enter the batch of a step.' }],
    trajectoriesPerMiniBatch: [() => Float, { description: 'Trajectories of a mini-batch.' }],
    optimizerStepsPerStep: [() => SafeIntScalar, { description: 'Optimizer steps of a step.' }],
    optimizerSteps: [() => SafeIntScalar, { description: 'Optimizer steps of the run.' }],
    episodes: [() => SafeIntScalar, { description: 'Trajectories sampled by the run.' }],
  },
);

describeType(
  GraphSize,
  { description: 'A graph of a model and its size.' },
  {
    name: [() => String, { description: 'What it computes.' }],
    nodes: [() => Int, { description: 'Its nodes.' }],
  },
);

const secondsOnCpu = (what: string) =>
  [() => Float, { nullable: true, description: `${what}; null for other providers than the CPU.` }] as const;

describeType(
  ExpectedIteration,
  { description: 'An iteration whose episodes are as long as those of the oracle.' },
  {
    turnsPerEpisode: [() => Float, { description: 'Turns of an episode.' }],
    tokensPerEpisode: [() => Float, { description: 'Tokens of an episode.' }],
    sampledTokens: [() => Float, { description: 'Tokens sampled by the model.' }],
    trainedTokens: [() => Float, { description: 'Tokens over all passes of the update, prompts included.' }],
    paddingShare: [() => Float, { description: 'Share of padding among the tokens of the update.' }],
    collectSeconds: secondsOnCpu('Seconds of the rollout'),
    updateSeconds: secondsOnCpu('Seconds of the update'),
    secondsPerStep: secondsOnCpu('Seconds of the iteration'),
    peakBytes: [() => SafeIntScalar, { description: 'Highest resident memory of the process.' }],
  },
);

describeType(
  RunEstimate,
  { description: 'What a run would cost on the server’s machine.' },
  {
    parameters: [() => SafeIntScalar, { description: 'Parameters of the model.' }],
    graphs: [() => [GraphSize], { description: 'The graphs that are built.' }],
    tokensPerStep: [() => SafeIntScalar, { description: 'Most tokens of a step, prompts included.' }],
    expected: [() => ExpectedIteration, { description: 'An iteration of usual length.' }],
    modelBytes: [
      () => SafeIntScalar,
      { description: 'Weights, gradients and moments of all models, and copies for sampling.' },
    ],
    cacheBytes: [() => SafeIntScalar, { description: 'Key/value cache while sampling.' }],
    activationBytes: [() => SafeIntScalar, { description: 'Temporaries of the graphs.' }],
    checkpointBytes: [() => SafeIntScalar, { description: 'One checkpoint.' }],
    checkpointsBytes: [() => SafeIntScalar, { description: 'All checkpoints on the disk at once.' }],
    secondsPerStep: [
      () => [Float],
      { nullable: true, description: 'Least and most seconds of an iteration on the CPU.' },
    ],
    threads: [() => Int, { description: 'Threads used.' }],
  },
);

describeType(
  RunPlan,
  { description: 'A resolved spec: the run as it would be created.' },
  {
    name: [() => String, { description: 'Name the run would have.' }],
    project: [() => String, { description: 'Project the run would belong to.' }],
    spec: [() => JsonScalar, { description: 'The resolved spec: every option with its value.' }],
    specHash: [() => String, { description: 'sha256 of the resolved spec.' }],
    sources: [
      () => [OptionSource],
      { description: 'Where the value of each option comes from.', middleware: [listSources] },
    ],
    derived: [
      () => DerivedNumbers,
      {
        description: 'Numbers that follow from the options, such as trajectories per step.',
      },
    ],
    inert: [() => [InertOption], { description: 'Options that change nothing here.' }],
    steps: [() => Int, { description: 'Iterations it would have.' }],
    needs: [
      () => JobNeedsType,
      {
        description: 'Devices it would need: kind, count, memory, labels.',
      },
    ],
    plugins: [
      () => [PluginVersionType],
      {
        description: 'Plugins it would use, as installed on the server: kind, id, version, sha256.',
      },
    ],
    warnings: [() => [String], { description: 'What may go wrong, a sentence each.' }],
    estimate: [
      () => RunEstimate,
      {
        nullable: true,
        description:
          'Tokens, memory and time that it would take on the server’s machine; null: see `estimateReason`.',
      },
    ],
    estimateReason: [() => String, { nullable: true, description: 'Why there is no estimate.' }],
    parentRunId: [() => ID, { nullable: true, description: 'The run it would be forked from.' }],
    parentStep: [() => Int, { nullable: true, description: 'Step of the checkpoint it would start from.' }],
    forkPath: [
      () => String,
      { nullable: true, description: 'Checkpoint of the parent that it would start from.' },
    ],
    differences: [
      () => [SpecDifference],
      {
        description: 'Of a fork: options that are not those of its parent, the value of the parent first.',
      },
    ],
  },
);
