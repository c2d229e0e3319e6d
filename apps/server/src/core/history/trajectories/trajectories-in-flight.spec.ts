import { inFlightLimits } from '@espalier/contracts/in-flight';
import { expect, it } from 'vitest';
import { LiveBus } from '../../database/live-bus.js';
import { TrajectoriesInFlight } from './trajectories-in-flight.js';

type Told = Parameters<TrajectoriesInFlight['note']>[1];

const turnOf = (index: number, turn: number, more: Partial<Told> = {}): Told => ({
  kind: 'turn',
  time: 1,
  step: 1,
  id: `train/1/0/${index}`,
  environment: 'lake',
  turn,
  phase: 'over',
  observation: 'o'.repeat(inFlightLimits.text),
  render: 'r'.repeat(inFlightLimits.text),
  image: null,
  response: 'w'.repeat(inFlightLimits.text),
  actions: [],
  reward: 0,
  totalReward: 0,
  ended: null,
  ...more,
});
const runId = 'run-1';
const charactersOf = (live: TrajectoriesInFlight): number =>
  live
    .list(runId)
    .flatMap(({ turns }) => turns)
    .reduce((sum, one) => sum + one.observation.length + one.render.length + (one.response?.length ?? 0), 0);

it('keeps at most 4 MiB of the episodes of a run: those that changed longest ago lose their turns, and stay listed', () => {
  const live = new TrajectoriesInFlight(new LiveBus());
  // 48,000 characters each, of which 87 fit into 4,194,304
  const count = 100;
  for (let index = 0; index < count; index++)
    for (let turn = 0; turn < 8; turn++) live.note(runId, turnOf(index, turn));
  const withTurns = () =>
    live.list(runId).flatMap(({ id, turns }) => (turns.length > 0 ? [Number(id.split('/')[3])] : []));
  expect(live.list(runId)).toHaveLength(count);
  expect(withTurns()).toEqual(Array.from({ length: 87 }, (_, at) => count - 87 + at));
  expect(charactersOf(live)).toBe(87 * 48_000);
  // one that lost them has those again that are told from now on, and keeps what a list shows
  expect(live.list(runId, ['train/1/0/0'])[0]).toMatchObject({ turn: 7, preview: 'w'.repeat(160) });
  live.note(runId, turnOf(0, 8));
  expect(live.list(runId, ['train/1/0/0'])[0]?.turns.map(({ turn }) => turn)).toEqual([8]);
  expect(withTurns()).toEqual([0, ...Array.from({ length: 87 }, (_, at) => count - 87 + at)]);
  // 304 characters of room are left, then one episode too many is kept
  for (const turn of [9, 10]) live.note(runId, turnOf(0, turn));
  expect([withTurns().length, charactersOf(live)]).toEqual([88, 4 * 1024 * 1024 - 304]);
  live.note(runId, turnOf(0, 11));
  expect(withTurns()).toEqual([0, ...Array.from({ length: 86 }, (_, at) => count - 86 + at)]);
});

it('counts anew with each step and each attempt', () => {
  const live = new TrajectoriesInFlight(new LiveBus());
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 80; index++)
      for (let turn = 0; turn < 8; turn++)
        live.note(runId, turnOf(index, turn, { step: round + 1, id: `train/${round + 1}/0/${index}` }));
    expect([live.list(runId).length, charactersOf(live)]).toEqual([80, 80 * 48_000]);
    if (round === 1) live.clear(runId);
  }
});
