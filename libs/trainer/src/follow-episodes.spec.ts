import type { EventSink, Turn } from '@espalier/contracts';
import type { RolloutAddress } from '@espalier/rollout';
import { describe, expect, it } from 'vitest';
import { followEpisodes } from './follow-episodes.js';

type TurnInFlight = Parameters<NonNullable<EventSink['follow']>>[0];

const addressOf = (step: number, group = 0, index = 0, retry = 0): RolloutAddress => ({
  split: 'train',
  step,
  group,
  index,
  retry,
  seeds: { state: 1, noise: 2, sampling: 3 },
});
const asked = { environment: 'lake', index: 0, observation: 'a hole', render: 'O' };
const played = { response: 'left', actions: [{ text: 'Left' }], reward: -1 } as unknown as Turn;

function follow() {
  const told: TurnInFlight[] = [];
  let time = 1000;
  const followed = followEpisodes(() => time);
  const sink: EventSink = {
    emit: () => undefined,
    flush: () => Promise.resolve(),
    follow: (turn) => void told.push(turn),
  };
  return { told, followed, sink, pass: (ms: number) => void (time += ms) };
}

describe('episodes that are followed', () => {
  it('are told when the model is asked, and when the turn is over', () => {
    const { told, followed, sink } = follow();
    followed.onTurn(addressOf(1), asked);
    followed.tell(sink);
    followed.onTurn(addressOf(1), asked);
    followed.onTurn(addressOf(1), { ...asked, played, ended: 'failure' });
    const common = {
      id: 'train/1/0/0',
      step: 1,
      environment: 'lake',
      turn: 0,
      observation: 'a hole',
      image: null,
    };
    expect(told).toMatchObject([
      { ...common, response: null, actions: [], reward: 0, ended: null },
      { ...common, response: 'left', actions: ['Left'], reward: -1, ended: 'failure' },
    ]);
  });

  it('are four of the first group, first tries only', () => {
    const { told, followed, sink } = follow();
    followed.tell(sink);
    for (const address of [addressOf(1, 1), addressOf(1, 0, 4), addressOf(1, 0, 0, 1), addressOf(1, 0, 3)])
      followed.onTurn(address, asked);
    expect(told.map(({ id }) => id)).toEqual(['train/1/0/3']);
  });

  it('are of a whole step, and of another only after two seconds', () => {
    const { told, followed, sink, pass } = follow();
    followed.tell(sink);
    for (const [step, ms] of [
      [1, 1500],
      [1, 400],
      [2, 50],
      [2, 50],
      [3, 100],
    ] as const) {
      followed.onTurn(addressOf(step), asked);
      pass(ms);
    }
    // step 2 began 1.9 s after step 1; its second turn came within the rest, too
    expect(told.map(({ step }) => step)).toEqual([1, 1, 3]);
  });
});
