/** @file Subscriptions about runs. */
import { Args, Extensions, ID, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { followMessage } from '@espalier/protocol';
import type { RecordKind } from '../../core/history/records/record-bodies.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { type Caller, canSee } from '../../core/access/caller.js';
import { LiveBus, type LiveTopics } from '../../core/database/live-bus.js';
import { findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { Run } from '../../core/database/entities/run.js';
import { iterateRun } from '../stream/cursor-iterator.js';
import { mergeIterators } from '../stream/merge-iterators.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { listCost } from './limits/field-costs.js';
import { RunEventKindEnum } from './enums.js';
import { SafeIntScalar } from './scalars.js';
import { inputOfSchema } from './types/from-schema.js';
import { afterArg, LiveMetrics, runArg, RunEventBatch, RunProgress } from './live.types.js';
import { toEventRecord } from './types/record-body.type.js';
import type { RecordBatch } from '../stream/record-batch.js';
import { RunChannels } from '../stream/run-channels.js';

/** as many as `compareRuns` compares */
const maxFollowed = 50;
const { metrics, ...followed } = followMessage.shape;
const followedRun = z.strictObject(followed);
const metricsRequest = z.strictObject({
  runs: z
    .array(followedRun)
    .min(1)
    .max(maxFollowed)
    .refine(
      (runs) => new Set(runs.map(({ runId }) => runId)).size === runs.length,
      'a run occurs twice; name each once',
    ),
  names: metrics,
});

const FollowedRun = inputOfSchema('FollowedRun', 'A run to follow, and from where on.', followedRun, {
  runId: ID,
  after: SafeIntScalar,
});
type FollowedRun = InstanceType<typeof FollowedRun>;

@Resolver()
@Access('viewer')
export class LiveResolver {
  constructor(
    private readonly source: DataSource,
    private readonly channels: RunChannels,
    private readonly bus: LiveBus,
  ) {}

  @Subscription(() => LiveMetrics, {
    description:
      'The metrics of one or several runs, of each from a cursor on and live after that. A batch is of one run.',
  })
  @Extensions({
    complexity: ({ args }: { args: { runs: readonly unknown[] } }) => listCost * args.runs.length,
  })
  async runMetrics(
    @CurrentCaller() caller: Caller,
    @Args('runs', { type: () => [FollowedRun], description: `The runs, 1 to ${maxFollowed}.` })
    runs: FollowedRun[],
    @Args('names', { type: () => [String], nullable: true, description: 'Metrics wanted; default: all.' })
    names: string[] | null,
  ): Promise<AsyncIterableIterator<{ runMetrics: LiveMetrics }>> {
    const given = parseInput(metricsRequest, { runs, names }, 'follow the metrics of runs');
    for (const { runId, after } of given.runs)
      validateCursor(await findRunOrFail(this.source.manager, caller, runId), after);
    const wanted = given.names && [...new Set(given.names)].sort();
    return mergeIterators(
      given.runs.map((start) =>
        iterateRun(this.channels, start, (batch) => toLiveMetrics(batch, wanted), given.runs.length),
      ),
    );
  }

  @Subscription(() => RunEventBatch, {
    description:
      'Everything else that happens to a run, from a cursor on: states, warnings, checkpoints, logs.',
  })
  async runEvents(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('after', afterArg) after: number,
    @Args('kinds', {
      type: () => [RunEventKindEnum],
      nullable: true,
      description: 'Kinds of records wanted; default: all.',
    })
    kinds: RecordKind[] | null,
  ): Promise<AsyncIterableIterator<{ runEvents: RunEventBatch }>> {
    validateCursor(await findRunOrFail(this.source.manager, caller, runId), after);
    const wanted = new Set(kinds ?? []);
    return iterateRun(this.channels, { runId, after }, (batch) => {
      const { cursor, records: all } = batch.message();
      const records = wanted.size === 0 ? all : all.filter(({ kind }) => wanted.has(kind as RecordKind));
      if (records.length === 0) return undefined;
      return { runEvents: { runId, after: batch.after, cursor, records: records.map(toEventRecord) } };
    });
  }

  @Subscription(() => Run, { description: 'Runs as they change: one run, one project, or all you may see.' })
  async runChanged(
    @CurrentCaller() caller: Caller,
    @Args('runId', { ...runArg, nullable: true }) runId: string | null,
    @Args('project', { type: () => String, nullable: true, description: 'Only runs of this project.' })
    project: string | null,
  ): Promise<AsyncIterableIterator<{ runChanged: Run }>> {
    if (typeof runId === 'string') await findRunOrFail(this.source.manager, caller, runId);
    return iterateLatest<Run, { runChanged: Run }>(
      (publish) =>
        this.bus.on('run', runId ?? '*', (run) => {
          if (canSee(caller, run.project) && (project ?? run.project) === run.project) publish(run.id, run);
        }),
      (runChanged) => ({ runChanged }),
    );
  }

  @Subscription(() => RunProgress, {
    description: 'Progress of the current step of a run; only the newest is kept.',
  })
  async progress(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
  ): Promise<AsyncIterableIterator<{ progress: RunProgress }>> {
    await findRunOrFail(this.source.manager, caller, runId);
    return iterateLatest<LiveTopics['progress'], { progress: RunProgress }>(
      (publish) => this.bus.on('progress', runId, (progress) => publish(runId, progress)),
      (progress) => ({ progress }),
    );
  }
}

function toLiveMetrics(
  batch: RecordBatch,
  names?: readonly string[],
): { runMetrics: LiveMetrics } | undefined {
  const { runId, after, cursor, metrics } = batch.message(names);
  if (metrics.cursors.length === 0) return undefined;
  const { cursors, steps, times, attempts } = metrics;
  const series = Object.entries(metrics.values).map(([name, values]) => ({
    name,
    values,
    notFinite: metrics.notFinite?.[name] ?? [],
  }));
  return { runMetrics: { runId, after, cursor, cursors, steps, times, attempts, series } };
}
