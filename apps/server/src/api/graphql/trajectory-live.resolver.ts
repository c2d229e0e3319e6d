/** @file The subscription to the trajectories of a run. */
import { Args, ObjectType, Parent, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import type { Caller } from '../../core/access/caller.js';
import { TrajectoryEntity } from '../../core/database/entities/trajectory.js';
import { findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateRun } from '../stream/cursor-iterator.js';
import { RunChannels } from '../stream/run-channels.js';
import { afterArg, runArg, RunBatch } from './live.types.js';

@ObjectType({ description: 'Trajectories that were added to a run since the batch before.' })
class TrajectoryBatch extends RunBatch {
  /** of its trajectories */
  cursors!: readonly number[];
}

@Resolver(() => TrajectoryBatch)
@Access('viewer')
export class TrajectoryLiveResolver {
  constructor(
    private readonly source: DataSource,
    private readonly channels: RunChannels,
    private readonly queries: TrajectoryQueries,
  ) {}

  @Subscription(() => TrajectoryBatch, {
    description: 'The trajectories of a run from a cursor on, and live after that.',
  })
  async trajectoryAdded(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('after', afterArg) after: number,
  ): Promise<AsyncIterableIterator<{ trajectoryAdded: TrajectoryBatch }>> {
    validateCursor(await findRunOrFail(this.source.manager, caller, runId), after);
    return iterateRun(this.channels, { runId, after }, ({ after: from, cursor, records }) => {
      const cursors = records.filter(({ kind }) => kind === 'trajectory').map((record) => record.cursor);
      return cursors.length === 0 ? undefined : { trajectoryAdded: { runId, after: from, cursor, cursors } };
    });
  }

  @ResolveField(() => [TrajectoryEntity], { description: 'In the order in which they were stored.' })
  trajectories(@Parent() { runId, cursors }: TrajectoryBatch): Promise<TrajectoryEntity[]> {
    return this.queries.listByCursors(runId, cursors);
  }
}
