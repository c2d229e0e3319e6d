/**
 * @file Fetches, now and then, what the agent said last, for the live view. The file of a step arrives a moment after
 * its records, so older samples are tried when the newest is not there yet; without any the live view has none.
 */
import type { Client } from '@espalier/client';
import type { Trajectory } from '@espalier/contracts';
import type { StreamRecord } from '@espalier/protocol';
import type { RunView } from '../view/create-view.js';

/** ms between two fetches */
const pauseMs = 1500;
const remembered = 4;

export interface Sampler {
  /** Hears what trajectories there are. */
  see(records: readonly StreamRecord[]): void;
  /** Fetches the newest and stops. */
  stop(): Promise<void>;
}

/** Starts fetching samples for a view. */
export function createSampler(client: Client, runId: string, view: Pick<RunView, 'emit'>): Sampler {
  let waiting: string[] = []; // newest first
  let busy = Promise.resolve();
  const fetchNewest = async (): Promise<void> => {
    for (const id of waiting) {
      const found = await client.trajectories.get(runId, id).catch(() => undefined);
      if (found === undefined) continue;
      waiting = waiting.slice(0, waiting.indexOf(id));
      const { split, step, stopReason } = found.row;
      // what the live view needs of a trajectory
      const trajectory = { id, split, step, stopReason, turns: found.turns } as unknown as Trajectory;
      view.emit({ kind: 'trajectory', time: Date.now(), step, trajectory, kept: true });
      return;
    }
  };
  const timer = setInterval(() => void (busy = busy.then(fetchNewest)), pauseMs);
  return {
    see(records) {
      const first = records.filter(
        ({ kind, body }) => kind === 'trajectory' && /^train\/\d+\/0\/0$/.test(String(body['id'])),
      );
      const ids = first.map(({ body }) => String(body['id'])).reverse();
      waiting = [...ids, ...waiting].slice(0, remembered);
    },
    async stop() {
      clearInterval(timer);
      await busy.then(fetchNewest);
    },
  };
}
