/** @file Subscriptions to the trajectories of a run: those that are stored, and those that are played. */
import { Args, ID, ObjectType, Parent, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import type { Caller } from '../../core/access/caller.js';
import { TrajectoryEntity } from '../../core/database/entities/trajectory.js';
import { checkRunAccess, findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { TrajectoryInFlight } from '../../core/database/in-flight.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { TrajectoriesInFlight } from '../../core/history/trajectories/trajectories-in-flight.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateBatches } from '../stream/latest-iterator.js';
import { iterateRun } from '../stream/cursor-iterator.js';
import { RunChannels } from '../stream/run-channels.js';
import { afterArg, runArg, RunBatch } from './live.types.js';

const idsArg = {
  type: () => [ID],
  nullable: true,
  description: 'Only these episodes, by the ids of the trajectories that they will be; default: all.',
};

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
      'Episodes of a run that are played now: up to 1,024 of its step, as far as its trainer tells. Not stored.',
  })
  async trajectoriesInFlight(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('ids', idsArg) ids: string[] | null | undefined,
  ): Promise<TrajectoryInFlight[]> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.inFlight.list(runId, ids ?? undefined);
  }

  @Subscription(() => [TrajectoryInFlight], {
    name: 'trajectoriesInFlight',
    description:
      'The episodes of a run that are played now, then those that changed, at most twice a second; only the newest state of each.',
  })
  async followInFlight(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('ids', idsArg) ids: string[] | null | undefined,
  ): Promise<AsyncIterableIterator<{ trajectoriesInFlight: TrajectoryInFlight[] }>> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    const wanted = ids ? new Set(ids) : undefined;
    return iterateBatches<TrajectoryInFlight, { trajectoriesInFlight: TrajectoryInFlight[] }>(
      (publish) => {
        for (const episode of this.inFlight.list(runId, ids ?? undefined)) publish(episode.id, episode);
        return this.bus.on('inFlight', runId, (episode) => {
          if (wanted?.has(episode.id) ?? true) publish(episode.id, episode);
        });
      },
      (trajectoriesInFlight) => ({ trajectoriesInFlight }),
      { restMs: 500 },
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
