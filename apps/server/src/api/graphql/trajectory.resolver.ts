import { Args, ID, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import type { Caller } from '../../core/access/caller.js';
import { TrajectoryEntity } from '../../core/database/entities/trajectory.js';
import type { Page } from '../../core/database/page.js';
import { checkRunAccess, findRunOrFail } from '../../core/history/records/find-run.js';
import { TrajectoryPlay } from '../../core/history/trajectories/trajectory-play.service.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import {
  trajectoryFilter,
  trajectoryOrderFields,
  trajectorySearch,
} from '../../core/history/trajectories/trajectory-request.js';
import { TrajectoryCounts, TrajectoryDetail } from '../../core/history/trajectories/trajectory.types.js';
import { PlayedState } from '../../core/plugins/catalogue-messages.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { ClientSignal } from '../http/client-signal.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { FailureLabelEnum, SplitEnum, StopReasonEnum, UpdateOutcomeEnum } from './enums.js';
import { SafeIntScalar } from './scalars.js';
import { inputOfSchema } from './types/from-schema.js';

const TrajectoryFilter = inputOfSchema(
  'TrajectoryFilter',
  'Which trajectories; all conditions hold at once.',
  trajectoryFilter,
  {
    split: SplitEnum,
    stopReason: StopReasonEnum,
    label: FailureLabelEnum,
    outcome: UpdateOutcomeEnum,
    stateSeed: SafeIntScalar,
  },
);
type TrajectoryFilter = InstanceType<typeof TrajectoryFilter>;

const TrajectorySearch = inputOfSchema(
  'TrajectorySearch',
  'Which trajectories of which runs; all conditions hold at once.',
  trajectorySearch,
  {
    split: SplitEnum,
    stopReason: StopReasonEnum,
    label: FailureLabelEnum,
    outcome: UpdateOutcomeEnum,
    stateSeed: SafeIntScalar,
    runIds: ID,
  },
);
type TrajectorySearch = InstanceType<typeof TrajectorySearch>;

const runArg = { type: () => ID, description: 'The run.' } as const;
/** fields that cost as much as reading the file of a step; characters that cost as much as a field */
const fileCost = 2500;
const charactersPerCost = 400;
/** a count looks at all trajectories of a run */
const countCost = 500;
/** a search may look at many */
const searchCost = 100;

const TrajectoryConnection = connectionOf(TrajectoryEntity, 'Trajectory');

const TrajectoryOrder = orderOf('Trajectory', trajectoryOrderFields);
type TrajectoryOrder = InstanceType<typeof TrajectoryOrder>;

const filterArg = {
  type: () => TrajectoryFilter,
  nullable: true,
  description: 'Which ones; default: all.',
} as const;

@Resolver(() => TrajectoryEntity)
@Access('viewer')
export class TrajectoryResolver {
  constructor(
    private readonly source: DataSource,
    private readonly queries: TrajectoryQueries,
    private readonly plays: TrajectoryPlay,
  ) {}

  @Query(() => TrajectoryConnection, {
    nullable: true,
    description: 'Trajectories of one run, of several, or of all you may see.',
    complexity: searchCost,
  })
  async trajectories(
    @CurrentCaller() caller: Caller,
    @Args('filter', { ...filterArg, type: () => TrajectorySearch }) filter: TrajectorySearch | null,
    @Args('orderBy', { type: () => TrajectoryOrder, nullable: true, description: 'Default: by step.' })
    orderBy: TrajectoryOrder | null | undefined,
    @Args() page: PageArgs,
  ): Promise<Page<TrajectoryEntity>> {
    const conditions = parseInput(trajectorySearch, filter, 'find trajectories');
    return this.queries.search(caller, conditions, page, orderBy ?? undefined);
  }

  @Query(() => TrajectoryCounts, {
    nullable: true,
    description: 'How many trajectories match at each step, such as how often a text occurs over training.',
    complexity: () => countCost,
  })
  async trajectoryCounts(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('filter', filterArg) filter: TrajectoryFilter | null,
  ): Promise<TrajectoryCounts> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.queries.counts(runId, parseInput(trajectoryFilter, filter, 'count trajectories'));
  }

  @Query(() => TrajectoryDetail, {
    nullable: true,
    description: 'One trajectory with all its tokens, turns and scores.',
    complexity: () => fileCost,
  })
  async trajectory(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('id', { type: () => ID, description: 'split/step/group/index' }) id: string,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<TrajectoryDetail> {
    await findRunOrFail(this.source.manager, caller, runId);
    return this.queries.read(await this.queries.find(runId, id), caller.keyId, signal);
  }

  @Query(() => PlayedState, {
    nullable: true,
    description:
      'The state of a trajectory before a turn, after actions that are taken there by hand. Its environment is created, brought to the turn and closed again; nothing is stored.',
    complexity: () => fileCost,
  })
  @Access('operator')
  async playTrajectory(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('id', { type: () => ID, description: 'split/step/group/index' }) id: string,
    @Args('turn', { type: () => Int, description: 'Turn, from 0.' }) turn: number,
    @Args('actions', {
      type: () => [String],
      defaultValue: [],
      description: 'Actions to take in this state, in order.',
    })
    actions: string[],
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<PlayedState> {
    const run = await findRunOrFail(this.source.manager, caller, runId);
    return this.plays.play(run, id, { turn, actions, keyId: caller.keyId }, signal);
  }

  @ResolveField(() => String, {
    description: 'Its observations and responses, as far as they are indexed for search.',
    complexity: ({ args }) => Number(args['characters']) / charactersPerCost,
  })
  async text(
    @Parent() row: TrajectoryEntity,
    @Args('characters', {
      type: () => Int,
      defaultValue: 20_000,
      description: 'At most this many, from the beginning.',
    })
    characters: number,
  ): Promise<string> {
    return (await this.queries.text(row.runId, row.cursor)).slice(0, Math.max(0, characters));
  }
}
