/** @file Subscriptions to the trajectories of a run: those that are stored, and those that are played. */
import { Args, ObjectType, Parent, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import type { Caller } from '../../core/access/caller.js';
import { TrajectoryEntity } from '../../core/database/entities/trajectory.js';
import { checkRunAccess, findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { TrajectoryInFlight } from '../../core/database/in-flight.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { TrajectoriesInFlight } from '../../core/history/trajectories/trajectories-in-flight.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateLatest } from '../stream/latest-iterator.js';
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
    private readonly inFlight: TrajectoriesInFlight,
    private readonly bus: LiveBus,
  ) {}

  @Query(() => [TrajectoryInFlight], {
    nullable: true,
    description:
      'Episodes of a run that are played now: up to four of its step, as far as its trainer tells. Not stored.',
  })
  async trajectoriesInFlight(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
  ): Promise<TrajectoryInFlight[]> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.inFlight.list(runId);
  }

  @Subscription(() => TrajectoryInFlight, {
    description:
      'Each episode of a run as its turns are played, those that are played now first; only the newest state of each is kept.',
  })
  async trajectoryInFlight(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
  ): Promise<AsyncIterableIterator<{ trajectoryInFlight: TrajectoryInFlight }>> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return iterateLatest<TrajectoryInFlight, { trajectoryInFlight: TrajectoryInFlight }>(
      (publish) => {
        for (const episode of this.inFlight.list(runId)) publish(episode.id, episode);
        return this.bus.on('inFlight', runId, (episode) => publish(episode.id, episode));
      },
      (trajectoryInFlight) => ({ trajectoryInFlight }),
    );
  }

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
