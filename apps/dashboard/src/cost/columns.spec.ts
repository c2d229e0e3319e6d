import { describe, expect, it } from 'vitest';
import { columnsOf, type RunLedger } from './columns.js';
import { inParts } from './use-ledgers.js';

const ledger: RunLedger = {
  runId: 'run-a',
  steps: 2,
  wallSeconds: 180,
  processorSeconds: 158,
  energyJoules: 10_800,
  energySource: 'partly measured',
  phases: [],
  sampledTokens: 200_000,
  trainedTokens: 300_000,
  environmentSteps: 1000,
  episodes: 128,
  optimizerSteps: 16,
  successPoints: -30,
  perMillionTokens: -60,
  perThousandInteractions: -30,
  perDeviceHour: -600,
  price: null,
  perPrice: null,
};
const show = (given: RunLedger) =>
  Object.fromEntries(columnsOf([given]).map(({ head, show: of }) => [head, of(given)]));

describe('the columns of a ledger', () => {
  it('give energy with where it is from, and losses of success with their sign', () => {
    expect(show(ledger)).toMatchObject({
      'Wall time': '3 min',
      Energy: '3 Wh, partly measured',
      'Tokens sampled': '200 k',
      'Success points': '−30',
      'per device-hour': '−600',
    });
  });

  it('give a dash for what was not recorded, never 0', () => {
    const bare = {
      ...ledger,
      processorSeconds: null,
      energyJoules: null,
      energySource: null,
      successPoints: null,
    };
    expect(show(bare)).toMatchObject({ 'Processor time': '–', Energy: '–', 'Success points': '–' });
  });
});

describe('the price in a table of ledgers', () => {
  it('is there where one of the runs has one', () => {
    const heads = columnsOf([ledger, { ...ledger, price: 0.12, perPrice: 250 }]).map(({ head }) => head);
    expect(heads.slice(-2)).toEqual(['Price', 'per unit of price']);
    expect(columnsOf([ledger]).map(({ head }) => head)).not.toContain('Price');
    expect(show({ ...ledger, price: 0.12, perPrice: 250 })).toMatchObject({
      Price: '0.12',
      'per unit of price': '250',
    });
  });
});

describe('the requests for ledgers', () => {
  it('have as many runs as the limit on steps allows, and each run once', () => {
    const runs = [20_000, 29_998, 1, 90_000, null, 3].map((step, at) => ({ id: `run-${at}`, step }));
    expect(inParts(runs)).toEqual([['run-0', 'run-1'], ['run-2'], ['run-3'], ['run-4', 'run-5']]);
    expect(inParts([])).toEqual([]);
  });
});
