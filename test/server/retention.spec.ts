import { expect, it } from 'vitest';
import { RetentionService } from '../../apps/server/src/core/history/records/retention.service.js';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { RunReader } from '../../apps/server/src/core/history/records/run-reader.js';
import { Clock } from '../../apps/server/src/core/database/clock.js';
import { MetricHistory } from '../../apps/server/src/core/history/metrics/metric-history.service.js';
import { MetricTails } from '../../apps/server/src/core/history/metrics/metric-tails.js';
import { TrajectoryQueries } from '../../apps/server/src/core/history/trajectories/trajectory-queries.service.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const day = 86_400_000;

/** A clock that stands where a test puts it. */
class ManualClock extends Clock {
  time = 1_800_000_000_000;
  override now(): number {
    return this.time;
  }
}

describeOnEach('retention', (server) => {
  it('forgets what is old enough, and no value of a metric', async () => {
    const { app } = server();
    const writer = await createWriter(server());
    await writer.write(Array.from({ length: 600 }, (_, step) => metricsEvent(step, { a: step })));
    await writer.write([
      trajectoryEvent(0, 0, { text: 'old' }),
      { kind: 'log', time: 1_800_000_000_000, text: 'old' },
    ]);
    await writer.write([{ kind: 'log', time: 1_800_000_000_000 + 2 * day, text: 'new' }]);
    const clock = new ManualClock();
    const retention = {
      metricsDays: 1,
      trajectoriesDays: 1,
      logsDays: 1,
      workersDays: 0,
      devicesDays: 0,
    };
    const service = new RetentionService(app.get(RunLog, { strict: false }), clock, { retention });
    const reader = app.get(RunReader, { strict: false });
    const kinds = async () => (await reader.page(writer.runId, 0, 2000)).records.map(({ kind }) => kind);
    const values = async () => {
      const request = { runIds: [writer.runId], names: ['a'], fromStep: 0, toStep: 10_000, points: 1000 };
      return (await app.get(MetricHistory, { strict: false }).read(request))[0]?.values;
    };
    const before = await values();
    await service.sweep();
    expect(await kinds()).toHaveLength(603);
    clock.time += day + 10_000;
    await service.sweep();
    const left = await kinds();
    expect(left.filter((kind) => kind === 'metrics')).toHaveLength(600 - 512);
    expect(left.filter((kind) => kind !== 'metrics')).toEqual(['log']);
    expect(
      (
        await app
          .get(TrajectoryQueries, { strict: false })
          .list({ runIds: [writer.runId], text: 'old' }, { first: 5 })
      ).nodes,
    ).toEqual([]);
    expect(await values()).toEqual(before);
    app.get(MetricTails, { strict: false }).forget(writer.runId);
    expect(await values()).toEqual(before);
    expect((await reader.page(writer.runId, 0, 2000)).cursor).toBe(603);
  });
});
