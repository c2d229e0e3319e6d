import { describe, expect, it } from 'vitest';
import { maxResult } from './job.js';
import { createTally } from './tally.js';

const loaded = { kind: 'loaded', atMs: 1 } as const;
const ended = { kind: 'ended', end: 'finished', printed: '' } as const;
const answer = (index: number, text = '1', atMs = 2) =>
  ({ kind: 'answer', atMs, index, answer: { kind: 'value', text } }) as const;

describe('a tally', () => {
  it('takes as many answers as the job has calls, in their order, once each', () => {
    const tally = createTally(2, 100);
    for (const message of [
      answer(0, 'before it was read'),
      loaded,
      answer(1, 'too early'),
      answer(0, 'first'),
      answer(0, 'again'),
      { ...loaded, error: 'a second time' },
      answer(-1),
      answer(1, 'second'),
      answer(2, 'too many'),
      ended,
      answer(2, 'after the end'),
      { ...ended, end: 'crashed' } as const,
    ])
      tally.add(message);
    expect(tally.isEnded()).toBe(true);
    expect(tally.result('cut_off')).toEqual({
      answers: [
        { kind: 'value', text: 'first' },
        { kind: 'value', text: 'second' },
      ],
      end: 'finished',
      printed: '',
    });
  });

  it('takes nothing after an error of reading', () => {
    const tally = createTally(1, 100);
    for (const message of [{ ...loaded, error: 'no' }, loaded, answer(0), ended]) tally.add(message);
    expect(tally.result('cut_off')).toEqual({ answers: [], loadError: 'no', end: 'finished', printed: '' });
  });

  it('takes nothing that came after the time, however late the host looks', () => {
    const tally = createTally(2, 100);
    for (const message of [loaded, answer(0, '1', 100), answer(1, '2', 101), ended]) tally.add(message);
    expect(tally.result('crashed')).toMatchObject({ answers: [{ text: '1' }], end: 'cut_off' });
  });

  it('cuts what is too large', () => {
    const tally = createTally(2, 100);
    const long = 'x'.repeat(maxResult + 1);
    tally.add(loaded);
    tally.add(answer(0, long));
    tally.add({ ...answer(1), answer: { kind: 'raised', text: long } });
    tally.add({ ...ended, printed: long });
    const { answers, printed } = tally.result('cut_off');
    expect(answers).toEqual([
      { kind: 'too_large', text: '' },
      { kind: 'raised', text: 'x'.repeat(200) },
    ]);
    expect(printed.length).toBe(1000);
  });

  it('says how a program ended that did not say so', () => {
    expect(createTally(1, 100).result('crashed')).toEqual({ answers: [], end: 'crashed', printed: '' });
  });
});
