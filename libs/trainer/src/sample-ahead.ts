/**
 * @file Sampling one step ahead of the update: while the policy learns from one batch, a copy of it samples the next. The
 * copy samples one batch and waits until that batch is taken, so what is learned from is at most one update old, and
 * nothing is thrown away for its age: long episodes and short ones take part alike.
 * Source: Noukhovitch et al. 2024, arXiv:2410.18252, sec. 3 (one-step off-policy); pacing by a bound on staleness: Fu et al. 2025,
 * arXiv:2505.24298 (AReaL), eq. 3.
 * Differences: an episode never sees two policies, as weights are copied between batches; a batch is sampled from seeds and
 * the copied weights alone, so equal runs are equal bit for bit, whatever the timing.
 *
 * A checkpoint of step s holds the batch of step s + 1, so it waits for that batch. A run that is killed resumes with the
 * batch that its checkpoint holds.
 */
import type { PolicyEngine } from '@espalier/contracts';
import { type FilledBatch, fillBatch } from './fill-batch.js';
import { createPhaseClock, type PhaseClock } from './phase-clock.js';
import { type PlayState, progressOf, type RunContext } from './run-context.js';

/** A batch with the step that it is for, and the policy that sampled it. */
export interface AheadBatch {
  readonly step: number;
  /** optimizer steps of the policy when it was sampled */
  readonly policySteps: number;
  readonly batch: FilledBatch;
}

type SamplingCopy = Awaited<ReturnType<PolicyEngine['openSampler']>>;

interface Pending {
  readonly step: number;
  readonly controller: AbortController;
  readonly result: Promise<AheadBatch>;
  /** who sees the progress while the batch is waited for */
  listener: ((done: number, total: number) => void) | undefined;
}

export class SampleAhead {
  readonly #pending = new Map<number, Pending>();

  /** @param restored the batch of the next step, as a checkpoint holds it */
  constructor(
    readonly copy: SamplingCopy,
    restored: AheadBatch | undefined,
  ) {
    if (restored === undefined) return;
    const { step } = restored;
    const result = Promise.resolve(restored);
    this.#pending.set(step, { step, controller: new AbortController(), result, listener: undefined });
  }

  /** Begins a step with the policy as it is now, unless it has begun; returns at once. */
  begin(run: RunContext, step: number, played: PlayState): void {
    if (this.#pending.has(step)) return;
    const controller = new AbortController();
    const { policySteps } = run.state;
    const pending: Pending = {
      step,
      controller,
      listener: undefined,
      result: this.copy.refresh().then(async () => {
        const progress = (done: number, total: number): void => pending.listener?.(done, total);
        const given = { played, progress };
        const batch = await fillBatch(run, step, controller.signal, createPhaseClock(), given);
        return { step, policySteps, batch };
      }),
    };
    // whoever takes it sees the error
    pending.result.catch(() => undefined);
    this.#pending.set(step, pending);
  }

  /**
   * Waits for the batch of a step; it stays held until {@link learned}.
   *
   * @throws what collecting it throws; it is forgotten then
   */
  async take(run: RunContext, step: number, clock: PhaseClock): Promise<AheadBatch> {
    this.begin(run, step, run.state);
    const pending = this.#pending.get(step) as Pending;
    pending.listener = progressOf(run, 'collect');
    try {
      return await clock.time('collect', () => pending.result);
    } catch (error) {
      this.#pending.delete(step);
      throw error;
    } finally {
      pending.listener = undefined;
    }
  }

  /** Forgets the batches of a step that was learned from, and of those before. */
  learned(step: number): void {
    for (const known of this.#pending.keys()) if (known <= step) this.#pending.delete(known);
  }

  /** Waits for the batch of a step to save it; undefined: there is none, or it failed. */
  async settle(step: number): Promise<AheadBatch | undefined> {
    return this.#pending.get(step)?.result.catch(() => undefined);
  }

  /** Stops sampling and forgets every batch: what it was sampled with is gone. */
  async drop(): Promise<void> {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { controller } of all) controller.abort();
    await Promise.allSettled(all.map(({ result }) => result));
  }
}
