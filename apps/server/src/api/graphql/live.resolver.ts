/** @file Subscriptions about runs. */
import { Args, ID, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { followMessage } from '@espalier/protocol';
import { stepOrNull } from '../../core/database/columns.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { type Caller, canSee } from '../../core/access/caller.js';
import { LiveBus, type LiveTopics } from '../../core/database/live-bus.js';
import { findRunOrFail, validateCursor } from '../../core/history/records/find-run.js';
import { Run } from '../../core/database/entities/run.js';
import { iterateRun } from '../stream/cursor-iterator.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { SafeIntScalar } from './scalars.js';
import { LiveMetrics, RunEventBatch, RunProgress } from './live.types.js';
import type { RecordBatch } from '../stream/record-batch.js';
import { RunChannels } from '../stream/run-channels.js';

const runArg = { type: () => ID, description: 'The run.' } as const;
const afterArg = {
  type: () => SafeIntScalar,
  defaultValue: 0,
  description: 'Your last cursor; 0: from the beginning; the run’s `head`: only new records.',
} as const;

@Resolver()
@Access('viewer')
export class LiveResolver {
  constructor(
    private readonly source: DataSource,
    private readonly channels: RunChannels,
    private readonly bus: LiveBus,
  ) {}

  @Subscription(() => LiveMetrics, {
    description: 'The metrics of a run from a cursor on, and live after that.',
  })
  async runMetrics(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('after', afterArg) after: number,
    @Args('names', { type: () => [String], nullable: true, description: 'Metrics wanted; default: all.' })
    names: string[] | null,
  ): Promise<AsyncIterableIterator<{ runMetrics: LiveMetrics }>> {
    validateCursor(await findRunOrFail(this.source.manager, caller, runId), after);
    const { metrics } = parseInput(
      followMessage,
      { runId, after, metrics: names },
      'follow the metrics of a run',
    );
    const wanted = metrics && [...new Set(metrics)].sort();
    return iterateRun(this.channels, { runId, after }, (batch) => toLiveMetrics(batch, wanted));
  }

  @Subscription(() => RunEventBatch, {
    description:
      'Everything else that happens to a run, from a cursor on: states, warnings, checkpoints, logs.',
  })
  async runEvents(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('after', afterArg) after: number,
  ): Promise<AsyncIterableIterator<{ runEvents: RunEventBatch }>> {
    validateCursor(await findRunOrFail(this.source.manager, caller, runId), after);
    return iterateRun(this.channels, { runId, after }, (batch) => {
      const { cursor, records } = batch.message();
      if (records.length === 0) return undefined;
      const events = records.map(({ step, attempt, ...record }) => ({
        ...record,
        step: stepOrNull(step),
        attempt: attempt === 0 ? null : attempt,
      }));
      return { runEvents: { runId, after: batch.after, cursor, records: events } };
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
  const series = Object.entries(metrics.values).map(([name, values]) => ({ name, values }));
  return { runMetrics: { runId, after, cursor, cursors, steps, times, attempts, series } };
}
