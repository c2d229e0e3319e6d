/** @file Inputs of mutations about runs. Ranges are checked by run-request.ts, which REST shares. */
import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { DateTimeScalar, JsonScalar } from './scalars.js';
import type { Split } from '@espalier/contracts';
import { DeviceKindEnum, JobStateEnum, SplitEnum } from './enums.js';
import type { JobState } from '@espalier/protocol';

@InputType({ description: 'The devices that a run needs.' })
export class NeedsInput {
  @Field(() => DeviceKindEnum, {
    nullable: true,
    description: 'Kind of device; default: a GPU where device.provider is cuda, else a CPU.',
  })
  kind?: 'cpu' | 'gpu';

  @Field(() => Int, { defaultValue: 1, description: 'Devices of that kind, all on one worker.' })
  count!: number;

  @Field(() => Int, { defaultValue: 0, description: 'Free memory each device must have, MiB; 0: any.' })
  memoryMb!: number;

  @Field(() => [String], { defaultValue: [], description: 'Labels the worker must have.' })
  labels!: string[];
}

/** The run that a mutation is about. */
@InputType({ isAbstract: true })
abstract class RunInput {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;
}

const idempotencyKey = {
  nullable: true,
  description:
    'Chosen by the client, new for each new request: the same request sent again with it is answered with the same run.',
};
const dryRun = { defaultValue: false, description: 'Only check and resolve it; answers a RunPlan.' };
const now = { defaultValue: false, description: 'End its process at once.' };

@InputType({ isAbstract: true })
abstract class LabelledInput {
  @Field(() => String, { nullable: true, description: 'Name for people; default: that of the spec.' })
  name?: string;

  @Field(() => Int, { defaultValue: 0, description: '−100 to 100; higher is scheduled first.' })
  priority!: number;

  @Field(() => [String], { defaultValue: [], description: 'Labels to find it by.' })
  tags!: string[];

  @Field(() => String, { defaultValue: '', description: 'Free text.' })
  note!: string;

  @Field(() => NeedsInput, {
    nullable: true,
    description: 'Devices it needs; default: one GPU or CPU device, see `kind`, or those of its parent.',
  })
  needs?: NeedsInput;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`.',
  })
  overrides!: string[];
}

@InputType({ isAbstract: true })
abstract class SpecInput extends LabelledInput {
  @Field(() => String, { nullable: true, description: 'The spec as YAML text, as in config/runs/.' })
  source?: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The spec as JSON.' })
  spec?: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description: 'Project it belongs to; default: the first of the key, or `default`.',
  })
  project?: string;
}

@InputType({ description: 'A run to create: give `source` or `spec`.' })
export class CreateRunInput extends SpecInput {
  @Field(() => String, idempotencyKey)
  idempotencyKey?: string;

  @Field(() => Boolean, dryRun)
  dryRun!: boolean;
}

@InputType({ description: 'A run to plan: give `source` or `spec`.' })
export class PlanRunInput extends SpecInput {
  @Field(() => Boolean, { defaultValue: true, description: 'Estimate tokens, memory and time, too.' })
  estimate!: boolean;
}

@InputType({ description: 'A run to create from a checkpoint of another.' })
export class ForkRunInput extends LabelledInput {
  @Field(() => ID, { description: 'The run to fork.' })
  runId!: string;

  @Field(() => Int, { nullable: true, description: 'Step of the checkpoint; default: the newest.' })
  step?: number;

  @Field(() => String, {
    nullable: true,
    description: 'Folder of the checkpoint among the artifacts; instead of `step`.',
  })
  checkpoint?: string;

  @Field(() => String, idempotencyKey)
  idempotencyKey?: string;

  @Field(() => Boolean, dryRun)
  dryRun!: boolean;
}

@InputType({ description: 'A checkpoint to evaluate.' })
export class EvaluateRunInput extends RunInput {
  @Field(() => Int, { nullable: true, description: 'Step of the checkpoint; default: the newest.' })
  step?: number;

  @Field(() => Int, { defaultValue: 128, description: 'Initial states to play, at most 20000.' })
  episodes!: number;

  @Field(() => SplitEnum, {
    defaultValue: 'test',
    description: 'Which states; those of training are not possible.',
  })
  split!: Split;

  @Field(() => Int, { defaultValue: 0, description: 'Higher is scheduled first.' })
  priority!: number;
}

@InputType({ description: 'Annotations of a run; fields that are not given stay as they are.' })
export class EditRunInput extends RunInput {
  @Field(() => String, { nullable: true, description: 'Its title; empty: lists show its name.' })
  title?: string;

  @Field(() => [String], { nullable: true, description: 'All its tags from now on.' })
  tags?: string[];

  @Field(() => String, { nullable: true, description: 'Free text.' })
  note?: string;
}

@InputType({ description: 'A run to pause.' })
export class PauseRunInput extends RunInput {}

@InputType({ description: 'A run to resume.' })
export class ResumeRunInput extends RunInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Resume with the plugins installed now, even if it was created with others.',
  })
  acceptPlugins!: boolean;
}

@InputType({ description: 'A run to cancel.' })
export class CancelRunInput extends RunInput {
  @Field(() => Boolean, now)
  now!: boolean;
}

@InputType({ description: 'An evaluation to cancel.' })
export class CancelEvaluationInput extends RunInput {
  @Field(() => ID, { description: 'The job of the evaluation.' })
  jobId!: string;

  @Field(() => Boolean, now)
  now!: boolean;
}

@InputType({ description: 'A run to schedule earlier or later.' })
export class SetRunPriorityInput extends RunInput {
  @Field(() => Int, { description: '−100 to 100; higher is scheduled first.' })
  priority!: number;
}

@InputType({ description: 'A run to delete.' })
export class DeleteRunInput extends RunInput {}

@InputType({ description: 'Which runs to list; all conditions hold at once.' })
export class RunFilter {
  @Field(() => [ID], {
    nullable: true,
    description: 'These, at most 500; unknown ones are left out.',
  })
  ids?: string[];

  @Field(() => String, { nullable: true, description: 'Of this project.' })
  project?: string;

  @Field(() => [JobStateEnum], { nullable: true, description: 'In one of these states.' })
  states?: JobState[];

  @Field(() => String, { nullable: true, description: 'With this tag.' })
  tag?: string;

  @Field(() => String, {
    nullable: true,
    description: 'With all these words in name, title, note, tags, environment, algorithm, rewards or model.',
  })
  text?: string;

  @Field(() => ID, { nullable: true, description: 'Forked from this run.' })
  parentRunId?: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Created at this moment or later.' })
  createdFrom?: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Created before this moment.' })
  createdBefore?: number;
}
