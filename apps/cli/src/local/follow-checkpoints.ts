/** @file The policy of a run's newest checkpoint: a newer one takes its place while calls are answered. */
import type { PolicyModel } from '@espalier/contracts';

/** A checkpoint whose model is open. */
export interface OpenCheckpoint {
  readonly folder: string;
  readonly step: number;
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  dispose(): Promise<void>;
}

export interface FollowOptions {
  /** folder of the newest checkpoint; what it names is not opened again while it stays the newest */
  readonly newest: () => string | undefined;
  readonly open: () => Promise<OpenCheckpoint>;
  readonly onSwitch: (now: OpenCheckpoint) => void;
  /** a newer checkpoint cannot be opened; the one before goes on answering */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
}

export interface FollowedPolicy {
  /** a call is answered to its end by the checkpoint that it began with; `policyVersion` is the step of that */
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  readonly first: OpenCheckpoint;
  dispose(): Promise<void>;
}

/** A checkpoint, and the calls that it still answers. */
interface Served {
  readonly checkpoint: OpenCheckpoint;
  readonly calls: Set<Promise<unknown>>;
}

/** Opens the newest checkpoint, then each that follows it. @throws what `open` throws at first */
export async function followCheckpoints(options: FollowOptions): Promise<FollowedPolicy> {
  const { newest, open, onSwitch, onFailure, pollMs = 1000 } = options;
  let tried = newest();
  const first = await open();
  let current: Served = { checkpoint: first, calls: new Set() };
  const live = new Set([current]);
  const retire = async (served: Served): Promise<void> => {
    while (served.calls.size > 0) await Promise.allSettled(served.calls);
    live.delete(served);
    await served.checkpoint.dispose();
  };
  const retiring = new Set<Promise<void>>();
  const follow = async (): Promise<void> => {
    const found = newest();
    if (found === tried) return;
    tried = found;
    const checkpoint = await open();
    if (checkpoint.folder === current.checkpoint.folder) return checkpoint.dispose();
    const before = current;
    current = { checkpoint, calls: new Set() };
    live.add(current);
    onSwitch(checkpoint);
    const over = retire(before).finally(() => retiring.delete(over));
    retiring.add(over);
  };
  let following = Promise.resolve();
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    following = follow()
      .catch(onFailure)
      .finally(() => (isBusy = false));
  }, pollMs);
  return {
    first,
    policy: {
      async sample(request, signal, watch) {
        const { checkpoint, calls } = current;
        const call = checkpoint.policy.sample(request, signal, watch);
        calls.add(call);
        try {
          return { ...(await call), policyVersion: checkpoint.step };
        } finally {
          calls.delete(call);
        }
      },
      release: (sequences) => live.forEach(({ checkpoint }) => checkpoint.policy.release(sequences)),
    },
    async dispose() {
      clearInterval(timer);
      await following;
      await Promise.all([...retiring, retire(current)]);
    },
  };
}
