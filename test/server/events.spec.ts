import { expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { RunReader } from '../../apps/server/src/core/history/records/run-reader.js';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { TrajectoryEntity } from '../../apps/server/src/core/database/entities/trajectory.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describeOnEach('events of attempts', (current) => {
  const find = <T extends object>(entity: new () => T, where: object) =>
    current()
      .app.get(DataSource)
      .getRepository(entity)
      .findBy(where as never);

  it('keeps what came, in order, and where the run stands', async () => {
    const writer = await createWriter(current());
    await writer.write([
      { kind: 'run-started', time: 1, step: 0, steps: 9, attempt: 1 },
      metricsEvent(0, { loss: 2, 'reward/mean': null }),
      { kind: 'phase', time: 2, step: 1, phase: 'collect', done: 1, total: 2 },
      trajectoryEvent(1, 0, { text: 'zero\0byte' }),
      { kind: 'warning', time: 3, step: 1, code: 'health.collapse', message: 'it collapses' },
      metricsEvent(1, { loss: 1 }),
    ]);
    const { records, cursor } = await current()
      .app.get(RunReader, { strict: false })
      .page(writer.runId, 0, 100);
    expect(records.map(({ kind }) => kind)).toEqual([
      'run-started',
      'metrics',
      'trajectory',
      'warning',
      'metrics',
    ]);
    expect(records.map((record) => record.cursor)).toEqual([1, 2, 3, 4, 5]);
    expect(records[1]?.body).toEqual({ values: { loss: 2, 'reward/mean': null } });
    expect(cursor).toBe(5);
    const [run] = await find(Run, { id: writer.runId });
    expect(run).toMatchObject({
      step: 1,
      steps: 9,
      head: 5,
      warnings: 1,
      latest: { loss: 1, 'reward/mean': null },
    });
    expect(await find(Alert, { runId: writer.runId })).toMatchObject([
      { severity: 'warning', code: 'health.collapse' },
    ]);
    expect(await find(TrajectoryEntity, { runId: writer.runId })).toMatchObject([
      { cursor: 3, reward: 0, superseded: false },
    ]);
  });

  it('stores each sequence once, and says what it has', async () => {
    const writer = await createWriter(current());
    const events = [1, 2, 3].map((sequence) => ({
      sequence,
      event: metricsEvent(sequence, { a: sequence }),
    }));
    expect(await writer.send({ stream: 'trainer', events })).toEqual({ acked: 3 });
    expect(await writer.send({ stream: 'trainer', events })).toEqual({ acked: 3 });
    const more = [...events.slice(1), { sequence: 4, event: metricsEvent(4, { a: 4 }) }];
    expect(await writer.send({ stream: 'trainer', events: more })).toEqual({ acked: 4 });
    expect((await find(Run, { id: writer.runId }))[0]?.head).toBe(4);
    expect((await find(Attempt, { id: writer.attemptId }))[0]).toMatchObject({
      ackedTrainer: 4,
      ackedLog: 0,
      step: 4,
    });
  });

  it('refuses a gap and stores nothing of it', async () => {
    const writer = await createWriter(current());
    await writer.write([metricsEvent(0, { a: 1 })]);
    const late = [2, 4].map((sequence) => ({ sequence, event: metricsEvent(sequence, { a: 1 }) }));
    const refused = writer.send({ stream: 'trainer', events: late });
    await expect(refused).rejects.toMatchObject({ code: 'event.gap', details: { acked: 1 } });
    expect((await find(Run, { id: writer.runId }))[0]?.head).toBe(1);
  });

  it('refuses whoever does not hold the job any more', async () => {
    const writer = await createWriter(current());
    await writer.write([metricsEvent(0, { a: 1 })]);
    const stranger = writer.send({
      stream: 'log',
      token: 7,
      events: [{ sequence: 1, event: metricsEvent(0, {}) }],
    });
    await expect(stranger).rejects.toMatchObject({ code: 'worker.fenced' });
    await writer.nextAttempt();
    await expect(writer.write([metricsEvent(1, { a: 1 })])).rejects.toMatchObject({ code: 'worker.fenced' });
  });

  it('marks what a later attempt does again as superseded', async () => {
    const first = await createWriter(current());
    await first.write([0, 1, 2, 3].map((step) => trajectoryEvent(step, 0)));
    const validated = { id: 'validation/2/0/0', split: 'validation' } as const;
    await first.write([trajectoryEvent(2, 0, validated)]);
    const second = await first.nextAttempt();
    await second.write([
      { kind: 'run-started', time: 1, step: 2, steps: 9, attempt: 2 },
      trajectoryEvent(3, 0),
    ]);
    const rows = await find(TrajectoryEntity, { runId: first.runId });
    expect(rows.find(({ split }) => split === 'validation')?.superseded).toBe(false);
    const told = rows
      .filter(({ split }) => split === 'train')
      .map(({ attempt, step, superseded }) => [attempt, step, superseded]);
    expect(told).toEqual(
      expect.arrayContaining([
        [1, 1, false],
        [1, 2, false],
        [1, 3, true],
        [2, 3, false],
      ]),
    );
    expect((await find(Attempt, { id: second.attemptId }))[0]?.startStep).toBe(2);
  });
});
