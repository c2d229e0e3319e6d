/** @file A machine that is gone at once: its worker and everything that the worker had started. */
import { waitFor } from '@espalier/testing';
import { isTraining } from '../cluster.js';
import type { Fault } from '../fault.js';
import { killProcessesUsing } from '../program.js';

export const loseHost: Fault = {
  name: 'server-lost-host',
  summary:
    'kill -9 of a worker and all its processes; it stays away until its run trains on another worker, which was free',
  clusters: ['sqlite', 'postgres'],
  async inject({ cluster, target }) {
    const held = cluster.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    await cluster.ensureSpare();
    const worker = cluster.workerNamed(held.worker);
    const lostAt = performance.now();
    const since = (): string => `${((performance.now() - lostAt) / 1000).toFixed(1)} s`;
    await worker.program.kill();
    killProcessesUsing(worker.folder);
    const attempts = async () => (await cluster.client.runs.get(target.id)).attempts;
    await waitFor('the run is reassigned', async () => ((await attempts()).at(-1)?.number ?? 0) > held.token);
    const assigned = since();
    const isNew = (attempt: number | undefined): boolean => (attempt ?? 0) > held.token;
    await waitFor('its process runs', async () => {
      const attempt = (await attempts()).at(-1);
      return isNew(attempt?.number) && attempt?.state !== 'assigned';
    });
    const started = since();
    await waitFor(
      'it trains on another worker',
      () =>
        target.isOver() || target.history.some(({ kind, attempt }) => kind === 'metrics' && isNew(attempt)),
    );
    const recoveryMs = performance.now() - lostAt;
    await worker.program.start();
    const evidence = `reassigned after ${assigned}, its process ran after ${started}`;
    return { evidence, repairedAt: lostAt, recoveryMs };
  },
};
