import type { SampleRequest, SampleResult } from '@espalier/contracts';
import { afterEach, expect, it } from 'vitest';
import { followCheckpoints, type FollowedPolicy, type OpenCheckpoint } from './follow-checkpoints.js';

const request: SampleRequest = {
  sequence: 'one',
  tokens: Int32Array.of(1),
  params: { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stopTokens: [], stopSequences: [] },
  seed: 0,
};

/** A run whose checkpoints a test makes; a call is answered when the test says so. */
class FakeRun {
  step = 1;
  isCorrupt = false;
  opened = 0;
  readonly disposed: number[] = [];
  readonly released: string[] = [];
  readonly told: string[] = [];
  readonly waiting: (() => void)[] = [];
  readonly newest = (): string => `step-${this.step}`;
  readonly open = async (): Promise<OpenCheckpoint> => {
    this.opened += 1;
    if (this.isCorrupt) throw new Error(`step ${this.step} is corrupt`);
    const { step } = this;
    return {
      folder: this.newest(),
      step,
      policy: {
        sample: () =>
          new Promise<SampleResult>((resolve) =>
            this.waiting.push(() =>
              resolve({
                tokens: Int32Array.of(step),
                logprobs: new Float32Array(1),
                entropies: new Float32Array(1),
                stop: 'length',
                policyVersion: 0,
              }),
            ),
          ),
        release: (names) => void this.released.push(...names.map((name) => `${name} of ${step}`)),
      },
      dispose: async () => void this.disposed.push(step),
    };
  };
  readonly onSwitch = ({ step }: OpenCheckpoint): void => void this.told.push(`step ${step}`);
  readonly onFailure = (error: unknown): void => void this.told.push((error as Error).message);
  readonly pollMs = 5;
}

let followed: FollowedPolicy | undefined;
afterEach(async () => followed?.dispose());

it('answers a call to its end with the checkpoint that it began with, and the next one with the newest', async () => {
  const run = new FakeRun();
  followed = await followCheckpoints(run);
  const early = followed.policy.sample(request);
  run.step = 2;
  await expect.poll(() => run.told).toEqual(['step 2']);
  const late = followed.policy.sample(request);
  followed.policy.release(['one']);
  expect(run.released).toEqual(['one of 1', 'one of 2']);
  expect(run.disposed).toEqual([]);
  run.waiting.forEach((answer) => answer());
  expect((await early).policyVersion).toBe(1);
  expect((await late).policyVersion).toBe(2);
  await expect.poll(() => run.disposed).toEqual([1]);
});

it('keeps what it has where a newer checkpoint cannot be opened, says so once, and takes the one after', async () => {
  const run = new FakeRun();
  followed = await followCheckpoints(run);
  run.isCorrupt = true;
  run.step = 2;
  await expect.poll(() => run.told).toEqual(['step 2 is corrupt']);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(run.opened).toBe(2);
  const answer = followed.policy.sample(request);
  run.waiting.forEach((each) => each());
  expect((await answer).policyVersion).toBe(1);
  run.isCorrupt = false;
  run.step = 3;
  await expect.poll(() => run.told).toEqual(['step 2 is corrupt', 'step 3']);
});
