import { Field, ID, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import type { Caller } from '../../../core/access/caller.js';
import { type BulkOutcome, RunBulk } from '../../../core/runs/run-bulk.service.js';
import { bulkRequest } from '../../../core/runs/run-request.js';
import { BulkActionEnum } from '../enums.js';
import { listCost } from '../limits/field-costs.js';
import {
  as,
  Input,
  InvalidInput,
  NotFound,
  NotPossible,
  orRefuse,
  resultOf,
  WrongState,
} from '../refusal.js';
import { Run } from '../../../core/database/entities/run.js';
import { inputOfSchema } from '../types/from-schema.js';
import { parseInput } from '../../../core/input/parse-input.js';

const BulkRunsInput = inputOfSchema('BulkRunsInput', 'One action on several runs.', bulkRequest, {
  action: BulkActionEnum,
  runIds: ID,
});
type BulkRunsInput = InstanceType<typeof BulkRunsInput>;

const refusals = [InvalidInput, NotFound, WrongState, NotPossible] as const;

const BulkRunResult = resultOf('BulkRunResult', 'The run, or why nothing was changed.', Run, ...refusals);

@ObjectType({ description: 'The result for one of several runs.' })
class BulkRun {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;

  @Field(() => BulkRunResult, {
    description: 'The run as it is now (deleted: as it was), or why nothing was changed.',
  })
  result!: typeof BulkRunResult;
}

@ObjectType({ description: 'The results for several runs, in the order of the request.' })
class BulkRuns {
  @Field(() => [BulkRun], { description: 'One for each run.' })
  results!: BulkRun[];
}

const BulkRunsResult = resultOf(
  'BulkRunsResult',
  'A result for each run, or why none was looked at.',
  BulkRuns,
  InvalidInput,
);

/** Acts on several runs. */
@Resolver()
export class RunBulkResolver {
  constructor(private readonly bulk: RunBulk) {}

  @Mutation(() => BulkRunsResult, {
    nullable: true,
    description: 'Pauses, resumes, cancels, deletes or tags several runs; each is done or refused by itself.',
    complexity: ({ args }) => listCost * ((args as { input?: BulkRunsInput }).input?.runIds.length ?? 1),
  })
  @Access('operator')
  async bulkRuns(
    @CurrentCaller() caller: Caller,
    @Input(BulkRunsInput) input: BulkRunsInput,
  ): Promise<typeof BulkRunsResult> {
    return orRefuse([InvalidInput], async () => {
      const request = parseInput(bulkRequest, input, 'act on several runs');
      const outcomes = await this.bulk.act(caller, request);
      return as('BulkRuns', { results: await Promise.all(outcomes.map(toResult)) });
    });
  }
}

async function toResult(outcome: BulkOutcome): Promise<BulkRun> {
  const result = await orRefuse(refusals, () => {
    if ('refusal' in outcome) return Promise.reject(outcome.refusal);
    return Promise.resolve(as('Run', outcome.run));
  });
  return { runId: outcome.runId, result };
}
