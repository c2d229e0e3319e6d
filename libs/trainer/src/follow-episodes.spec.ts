import type { EventSink, Turn } from '@espalier/contracts';
import { inFlightLimits, type TurnInFlight } from '@espalier/contracts/in-flight';
import type { RolloutAddress } from '@espalier/rollout';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followEpisodes } from './follow-episodes.js';

const addressOf = (step: number, group = 0, index = 0, retry = 0): RolloutAddress => ({
  split: 'train',
  step,
  group,
  index,
  retry,
  seeds: { state: 1, noise: 2, sampling: 3 },
});
const asked = { environment: 'lake', index: 0, observation: 'a hole', render: 'O' };
const written = { ...asked, response: 'left' };
const played = { response: 'left', actions: [{ text: 'Left' }], reward: -1 } as unknown as Turn;

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

function follow() {
  const portions: (readonly TurnInFlight[])[] = [];
  const followed = followEpisodes(Date.now);
  const sink: EventSink = {
    emit: () => undefined,
    flush: () => Promise.resolve(),
    follow: (turns) => void portions.push(turns),
  };
  return { portions, followed, sink };
}
const idsOf = (turns: readonly TurnInFlight[] | undefined): string[] => turns?.map(({ id }) => id) ?? [];

describe('episodes that are followed', () => {
  it('are told of as the model is asked, has written, and the turn is over; a state only once', () => {
    const { portions, followed, sink } = follow();
    followed.onTurn(addressOf(1), asked);
    followed.tell(sink);
    for (const turn of [asked, written, { ...written, played, ended: 'failure' as const }]) {
      followed.onTurn(addressOf(1), turn);
      vi.advanceTimersByTime(500);
    }
    const common = { id: 'train/1/0/0', step: 1, environment: 'lake', turn: 0 };
    const again = { ...common, observation: null, render: null, image: null, response: 'left' };
    expect(portions.map(([turn]) => turn)).toMatchObject([
      { ...common, time: 1000, phase: 'sampling', observation: 'a hole', response: null, ended: null },
      { ...again, time: 1500, phase: 'acting', actions: [], totalReward: 0 },
      { ...again, phase: 'over', actions: ['Left'], reward: -1, totalReward: -1, ended: 'failure' },
    ]);
  });

  it('are told of together, twice a second: of few of them every turn, at its newest', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    for (let index = 0; index < 3; index++)
      for (const turn of [asked, { ...written, played }, { ...asked, index: 1 }])
        followed.onTurn(addressOf(1, 0, index), turn);
    vi.advanceTimersByTime(1);
    followed.onTurn(addressOf(1, 0, 1), { ...written, index: 1, played });
    vi.advanceTimersByTime(400);
    expect(portions.map((turns) => turns.map(({ turn, phase }) => `${turn} ${phase}`))).toEqual([
      ['0 over', '1 sampling', '0 over', '1 sampling', '0 over', '1 sampling'],
    ]);
    vi.advanceTimersByTime(100);
    expect(portions[1]).toMatchObject([{ id: 'train/1/0/1', turn: 1, phase: 'over', totalReward: -2 }]);
    vi.advanceTimersByTime(5000);
    expect(portions).toHaveLength(2);
  });

  it('are all told of, 64 at once at their newest, and those first that waited longest', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    const all = Array.from({ length: 100 }, (_, at) => addressOf(1, Math.floor(at / 8), at % 8));
    for (const address of all) followed.onTurn(address, asked);
    for (const address of all) followed.onTurn(address, { ...asked, index: 1 });
    vi.advanceTimersByTime(1);
    followed.onTurn(addressOf(1), { ...asked, index: 2 });
    vi.advanceTimersByTime(5000);
    const ids = all.map(({ group, index }) => `train/1/${group}/${index}`);
    expect(portions.map(idsOf)).toEqual([ids.slice(0, 64), [...ids.slice(64), ids[0]]]);
    expect(new Set(portions[0]?.map(({ turn }) => turn))).toEqual(new Set([1]));
  });

  it('are told of in portions of 96 KiB, and no more of a step than 1,024', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    const long = {
      ...asked,
      observation: 'o'.repeat(9000),
      render: 'r'.repeat(9000),
      image: 'i'.repeat(99_999),
    };
    for (let index = 0; index < 1100; index++) followed.onTurn(addressOf(1, 0, index), long);
    vi.advanceTimersByTime(1);
    // 4,000 characters each, and no picture, as it is too large
    expect(portions[0]).toHaveLength(25);
    vi.advanceTimersByTime(60_000);
    expect(new Set(portions.flatMap(idsOf)).size).toBe(inFlightLimits.episodes);
  });

  it('begin anew where one is tried again', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    followed.onTurn(addressOf(1), { ...written, index: 3, played });
    vi.advanceTimersByTime(500);
    followed.onTurn(addressOf(1, 0, 0, 1), { ...written, played });
    vi.advanceTimersByTime(500);
    expect(portions[1]).toMatchObject([{ turn: 0, observation: 'a hole', totalReward: -1 }]);
  });

  it('are of a whole step, and of another only after two seconds', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    for (const [step, ms] of [
      [1, 1500],
      [1, 400],
      [2, 50],
      [2, 50],
      [3, 600],
    ] as const) {
      followed.onTurn(addressOf(step), asked);
      vi.advanceTimersByTime(ms);
    }
    // step 2 began 1.9 s after step 1; its second turn came within the rest, too
    expect(portions.flat().map(({ step }) => step)).toEqual([1, 1, 3]);
  });

  it('are told of to nobody once the run is over', () => {
    const { portions, followed, sink } = follow();
    followed.tell(sink);
    followed.onTurn(addressOf(1), asked);
    followed.stop();
    followed.onTurn(addressOf(1, 0, 1), asked);
    vi.advanceTimersByTime(5000);
    expect(portions).toEqual([]);
  });
});
