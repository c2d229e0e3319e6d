import { describe, expect, it } from 'vitest';
import { mergeTurns } from './in-flight-reader.js';

type Turns = Parameters<typeof mergeTurns>[0];
type Turn = Parameters<typeof mergeTurns>[1][number];

const turnOf = (turn: number, more: Partial<Turn> = {}): Turn =>
  ({
    turn,
    phase: 'over',
    observation: `state ${turn}`,
    render: '',
    image: null,
    response: `reply ${turn}`,
    actions: [],
    reward: 0,
    ...more,
  }) as Turn;
const numbers = (turns: Turns): number[] => [...turns.keys()];
const none: Turns = new Map();

describe('the turns of an episode that is read along', () => {
  it('stay when the server tells only newer ones, and are replaced by what is told of them again', () => {
    const first = mergeTurns(none, [turnOf(0), turnOf(1, { phase: 'sampling', response: null })]);
    const second = mergeTurns(first, [turnOf(1), turnOf(2, { phase: 'sampling', response: null })]);
    const third = mergeTurns(second, [turnOf(5)]);
    expect(numbers(third)).toEqual([0, 1, 2, 5]);
    expect([third.get(0)?.response, third.get(1)?.response, third.get(2)?.response]).toEqual([
      'reply 0',
      'reply 1',
      null,
    ]);
  });

  it('are in order, whatever came first', () => {
    const late = mergeTurns(mergeTurns(none, [turnOf(4), turnOf(6)]), [turnOf(3), turnOf(5), turnOf(6)]);
    expect(numbers(late)).toEqual([3, 4, 5, 6]);
  });

  it('keep the picture that the server has let go of', () => {
    const first = mergeTurns(none, [turnOf(0, { image: 'one' }), turnOf(1, { image: 'two' })]);
    const next = mergeTurns(first, [turnOf(0), turnOf(1, { image: 'other' }), turnOf(2)]);
    expect([...next.values()].map(({ image }) => image)).toEqual(['one', 'other', null]);
  });

  it('go where the episode is tried again from its beginning', () => {
    const first = mergeTurns(none, [turnOf(0), turnOf(1), turnOf(2, { image: 'old' })]);
    const again = mergeTurns(first, [turnOf(0, { response: 'other' })]);
    expect(numbers(again)).toEqual([0]);
    expect(mergeTurns(again, [turnOf(0, { response: 'other' }), turnOf(1)]).get(0)?.response).toBe('other');
    expect(mergeTurns(again, [turnOf(0), turnOf(2)]).get(2)?.image).toBeNull();
  });

  it('are left as they are where nothing is told', () => {
    const first = mergeTurns(none, [turnOf(0)]);
    expect(numbers(mergeTurns(first, []))).toEqual([0]);
  });
});
