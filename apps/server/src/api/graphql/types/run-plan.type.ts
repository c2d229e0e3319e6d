import { ID, Int } from '@nestjs/graphql';
import { JsonScalar } from '../scalars.js';
import { SpecDifferenceType } from '../../../core/runs/comparison.type.js';
import { InertOption, RunPlan } from '../../../core/runs/run-plan.type.js';
import { describeType } from './describe-type.js';

describeType(
  InertOption,
  { description: 'An option that changes nothing in this run.' },
  {
    path: [() => String, { description: 'Dotted path of the option.' }],
    reason: [() => String, { description: 'Why it changes nothing.' }],
    set: [() => Boolean, { description: 'Somebody wrote it, maybe expecting an effect.' }],
  },
);

describeType(
  RunPlan,
  { description: 'What a spec comes to: a run as it would be made.' },
  {
    name: [() => String, { description: 'Name the run would have.' }],
    project: [() => String, { description: 'Project the run would belong to.' }],
    spec: [() => JsonScalar, { description: 'The resolved spec: every option with its value.' }],
    specHash: [() => String, { description: 'sha256 of the resolved spec.' }],
    sources: [
      () => JsonScalar,
      {
        description:
          'Where each value comes from, by dotted path: file, --set, default, plugin default, derived, name of the file; parent: of the run that is forked.',
      },
    ],
    derived: [
      () => JsonScalar,
      {
        description: 'Numbers that follow from the options, such as trajectories per step.',
      },
    ],
    inert: [() => [InertOption], { description: 'Options that change nothing here.' }],
    steps: [() => Int, { description: 'Iterations it would have.' }],
    needs: [
      () => JsonScalar,
      {
        description: 'What it would ask of a place: kind and count of devices, memory, labels.',
      },
    ],
    plugins: [
      () => JsonScalar,
      {
        description: 'Plugins it would use, as installed on the server: kind, id, version, sha256.',
      },
    ],
    warnings: [() => [String], { description: 'What may go wrong, a sentence each.' }],
    estimate: [
      () => JsonScalar,
      {
        nullable: true,
        description:
          'Tokens, memory and time that it would take on the server’s machine; null: see `estimateReason`.',
      },
    ],
    estimateReason: [() => String, { nullable: true, description: 'Why there is no estimate.' }],
    parentRunId: [() => ID, { nullable: true, description: 'The run it would be forked from.' }],
    parentStep: [() => Int, { nullable: true, description: 'Step of the checkpoint it would begin from.' }],
    forkPath: [
      () => String,
      { nullable: true, description: 'Checkpoint of the parent that it would begin from.' },
    ],
    differences: [
      () => [SpecDifferenceType],
      {
        description: 'Of a fork: options that are not those of its parent, the value of the parent first.',
      },
    ],
  },
);
