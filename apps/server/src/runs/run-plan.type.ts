import type { JobNeeds } from '@espalier/protocol';
import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../graphql/scalars.js';
import { SpecDifferenceType } from './comparison.type.js';

@ObjectType({ description: 'An option that changes nothing in this run.' })
export class InertOption {
  @Field(() => String, { description: 'Dotted path of the option.' })
  path!: string;

  @Field(() => String, { description: 'Why it changes nothing.' })
  reason!: string;

  @Field(() => Boolean, { description: 'Somebody wrote it, maybe expecting an effect.' })
  set!: boolean;
}

@ObjectType({ description: 'What a spec comes to: a run as it would be made.' })
export class RunPlan {
  @Field(() => String, { description: 'Name the run would have.' })
  name!: string;

  @Field(() => String, { description: 'Project the run would belong to.' })
  project!: string;

  @Field(() => JsonScalar, { description: 'The resolved spec: every option with its value.' })
  spec!: Record<string, unknown>;

  @Field(() => String, { description: 'sha256 of the resolved spec.' })
  specHash!: string;

  @Field(() => JsonScalar, {
    description:
      'Where each value comes from, by dotted path: file, --set, default, plugin default, derived, name of the file; parent: of the run that is forked.',
  })
  sources!: Readonly<Record<string, string>>;

  @Field(() => JsonScalar, {
    description: 'Numbers that follow from the options, such as trajectories per step.',
  })
  derived!: Readonly<Record<string, unknown>>;

  @Field(() => [InertOption], { description: 'Options that change nothing here.' })
  inert!: readonly InertOption[];

  @Field(() => Int, { description: 'Iterations it would have.' })
  steps!: number;

  @Field(() => JsonScalar, {
    description: 'What it would ask of a place: kind and count of devices, memory, labels.',
  })
  needs!: JobNeeds;

  @Field(() => JsonScalar, {
    description: 'Plugins it would use, as installed on the server: kind, id, version, sha256.',
  })
  plugins!: readonly object[];

  @Field(() => [String], { description: 'What may go wrong, a sentence each.' })
  warnings!: readonly string[];

  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'Tokens, memory and time that it would take on the server’s machine; null: see `estimateReason`.',
  })
  estimate!: Readonly<Record<string, unknown>> | null;

  @Field(() => String, { nullable: true, description: 'Why there is no estimate.' })
  estimateReason!: string | null;

  @Field(() => ID, { nullable: true, description: 'The run it would be forked from.' })
  parentRunId!: string | null;

  @Field(() => Int, { nullable: true, description: 'Step of the checkpoint it would begin from.' })
  parentStep!: number | null;

  @Field(() => String, { nullable: true, description: 'Checkpoint of the parent that it would begin from.' })
  forkPath!: string | null;

  @Field(() => [SpecDifferenceType], {
    description: 'Of a fork: options that are not those of its parent, the value of the parent first.',
  })
  differences!: readonly SpecDifferenceType[];
}
