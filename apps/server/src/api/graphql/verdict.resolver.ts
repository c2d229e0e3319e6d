/** @file What people say of alerts, with the evidence: the rules that fired, and trajectories from before and after. */
import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../core/access/caller.js';
import { Alert } from '../../core/database/entities/alert.js';
import { AlertVerdict } from '../../core/database/entities/alert-verdict.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  AlertFinding,
  AlertRecord,
  AlertVerdicts,
  verdictRequest,
} from '../../core/verdicts/alert-verdicts.service.js';
import {
  AlertExamples,
  AlertExamplesService,
  examplesQuery,
} from '../../core/verdicts/alert-examples.service.js';
import {
  sampleQuery,
  TrajectorySample,
  TrajectorySampler,
} from '../../core/verdicts/trajectory-sampler.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { HealthRuleEnum, SplitEnum } from './enums.js';
import { countCost, listCost } from './limits/field-costs.js';
import { as, Input, InvalidInput, NotFound, orRefuse, resultOf } from './refusal.js';
import { idOf, inputOfSchema } from './types/from-schema.js';
import { AlertJudgementEnum } from './types/verdict.type.js';

const JudgeAlertInput = inputOfSchema(
  'JudgeAlertInput',
  'What you say of an alert, in place of what you said before.',
  verdictRequest.extend({ alertId: idOf('alert') }),
  { alertId: ID, judgement: AlertJudgementEnum },
);
type JudgeAlertInput = InstanceType<typeof JudgeAlertInput>;

const judgeRefusals = [InvalidInput, NotFound] as const;
const JudgeAlertResult = resultOf(
  'JudgeAlertResult',
  'The alert, or why nothing was changed.',
  Alert,
  ...judgeRefusals,
);

const SampleInput = inputOfSchema('TrajectorySampleInput', 'Which trajectories, and how many.', sampleQuery, {
  split: SplitEnum,
});
const ExamplesInput = inputOfSchema(
  'AlertExamplesInput',
  'Which trajectories, and how many.',
  examplesQuery,
  { rule: HealthRuleEnum },
);
type ExamplesInput = InstanceType<typeof ExamplesInput>;
type SampleInput = InstanceType<typeof SampleInput>;

/** all trajectories of the range are read */
const sampleCost = 500;

@Resolver(() => Alert)
@Access('viewer')
export class VerdictResolver {
  constructor(
    private readonly verdictService: AlertVerdicts,
    private readonly sampler: TrajectorySampler,
    private readonly exampleService: AlertExamplesService,
  ) {}

  @ResolveField(() => [AlertFinding], {
    description: 'Rules of the collapse monitor that fired; of other alerts none.',
    complexity: listCost,
  })
  findings(@Parent() alert: Alert): Promise<AlertFinding[]> {
    return this.verdictService.findings(alert);
  }

  @ResolveField(() => [AlertVerdict], {
    description: 'What users say of it, oldest first.',
    complexity: listCost,
  })
  verdicts(@Parent() { id }: Alert): Promise<AlertVerdict[]> {
    return this.verdictService.list([id]);
  }

  @Query(() => AlertRecord, {
    nullable: true,
    description: 'How often alerts were right, by code and by rule.',
    complexity: countCost,
  })
  async alertRecord(
    @CurrentCaller() caller: Caller,
    @Args('project', { type: () => String, nullable: true, description: 'Only of this project.' })
    project: string | null | undefined,
  ): Promise<AlertRecord> {
    return this.verdictService.record(caller, project ?? undefined);
  }

  @Query(() => TrajectorySample, {
    nullable: true,
    description: 'Trajectories drawn from a range of steps; the same seed draws the same ones.',
    complexity: () => sampleCost,
  })
  async trajectorySample(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
    @Args('sample', { type: () => SampleInput, nullable: true, description: 'Which; default: 6 of all.' })
    sample: SampleInput | null | undefined,
  ): Promise<TrajectorySample> {
    return this.sampler.sample(caller, runId, parseInput(sampleQuery, sample, 'sample trajectories'));
  }

  @Query(() => AlertExamples, {
    nullable: true,
    description: 'The trajectories that show an alert best, by a quantity that goes with its rule.',
    complexity: () => sampleCost,
  })
  async alertExamples(
    @CurrentCaller() caller: Caller,
    @Args('alertId', { type: () => ID, description: 'The alert.' }) alertId: string,
    @Args('examples', { type: () => ExamplesInput, nullable: true, description: 'Which; default: ten.' })
    examples: ExamplesInput | null | undefined,
  ): Promise<AlertExamples> {
    const query = parseInput(examplesQuery, examples, 'choose trajectories that show an alert');
    return this.exampleService.choose(caller, alertId, query);
  }

  @Mutation(() => JudgeAlertResult, {
    nullable: true,
    description: 'Says whether an alert was right; each key has one word.',
  })
  @Access('operator')
  judgeAlert(
    @CurrentCaller() caller: Caller,
    @Input(JudgeAlertInput) { alertId, ...input }: JudgeAlertInput,
  ): Promise<typeof JudgeAlertResult> {
    return orRefuse(judgeRefusals, async () => {
      const request = parseInput(verdictRequest, input, 'judge an alert');
      return as('Alert', await this.verdictService.judge(caller, alertId, request));
    });
  }
}
