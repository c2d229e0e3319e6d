import { computeLedger, ledgerMetrics } from '@espalier/report/ledger';
import { describe, expect, it } from 'vitest';
import { costLine, ledgerLines } from './ledger.js';

/** As a run folder's rows are read. */
const ledgerOf = (all: readonly { values: Record<string, number> }[]) =>
  computeLedger((name) => all.flatMap(({ values }) => values[name] ?? []));

const row = (values: Record<string, number>) => ({ values });
const rows = [
  row({ 'validation/success_rate': 0.2, 'time/validate_seconds': 30, 'time/validate_cpu_seconds': 50 }),
  row({
    'time/step_seconds': 60,
    'time/collect_seconds': 40,
    'time/collect_cpu_seconds': 70,
    'time/update_seconds': 20,
    'time/update_cpu_seconds': 38,
    'total/sampled_tokens': 100_000,
    'total/trained_tokens': 150_000,
    'total/environment_steps': 500,
    'total/episodes': 64,
    'update/policy_steps': 4,
    'update/critic_steps': 4,
  }),
  row({
    'time/step_seconds': 60,
    'time/collect_seconds': 40,
    'time/update_seconds': 20,
    'total/sampled_tokens': 200_000,
    'total/trained_tokens': 300_000,
    'total/environment_steps': 1000,
    'total/episodes': 128,
    'update/policy_steps': 8,
    'update/critic_steps': 8,
  }),
  row({ 'validation/success_rate': 0.5, 'time/validate_seconds': 30 }),
];

describe('computeLedger', () => {
  it('equals a run worked by hand', () => {
    const ledger = ledgerOf(rows);
    expect(ledger).toMatchObject({
      steps: 2,
      wallSeconds: { collect: 80, update: 40, validate: 60, save: 0 },
      processorSeconds: { collect: 70, update: 38, validate: 50 },
      sampledTokens: 200_000,
      trainedTokens: 300_000,
      environmentSteps: 1000,
      episodes: 128,
      optimizerSteps: 16,
    });
    // 30 points for half a million tokens, a thousand interactions and 180 s
    expect(ledger?.successPoints).toBeCloseTo(30, 9);
    expect(ledger?.perMillionTokens).toBeCloseTo(60, 9);
    expect(ledger?.perThousandInteractions).toBeCloseTo(30, 9);
    expect(ledger?.perDeviceHour).toBeCloseTo(600, 9);
  });

  it('reads the metrics that it names, and no others', () => {
    const read = new Set<string>();
    computeLedger((name) => {
      read.add(name);
      return [1, 2];
    });
    expect([...read].sort()).toEqual([...ledgerMetrics].sort());
  });

  it('counts the optimizer steps of each of several critics', () => {
    const ledger = ledgerOf([row({ 'time/step_seconds': 1, 'update/policy_steps': 8, 'update/critic_steps': 16, 'update/critics': 3 })]); // prettier-ignore
    expect(ledger?.optimizerSteps).toBe(8 + 3 * 16);
  });

  it('takes off what a fork began with: the totals of its parent, which are its first row', () => {
    const begun = row({
      'total/sampled_tokens': 70_000,
      'total/trained_tokens': 90_000,
      'total/environment_steps': 400,
      'total/episodes': 50,
      'update/policy_steps': 3,
      'update/critic_steps': 2,
    });
    expect(ledgerOf([begun, ...rows])).toMatchObject({
      steps: 2,
      sampledTokens: 130_000,
      trainedTokens: 210_000,
      environmentSteps: 600,
      episodes: 78,
      optimizerSteps: 11,
    });
    expect(ledgerOf([begun, ...rows])?.perThousandInteractions).toBeCloseTo(50, 9);
  });

  it('is told in a line', () => {
    expect(costLine(ledgerOf(rows))).toBe(
      'cost: 180 s, 158 s of processor, 200000 tokens sampled, 300000 trained, 1000 environment steps, 600 success points per device-hour',
    );
    expect(costLine(undefined)).toBeUndefined();
  });

  it('adds up energy over attempts and says where it is from', () => {
    const energyRow = (step: number, joules: number, measured: number) =>
      row({
        'time/step_seconds': step,
        'energy/collect_joules': joules,
        'energy/update_joules': joules / 2,
        'energy/measured_joules': measured,
      });
    // the second attempt ran on a machine whose counter may be read
    const [first, second] = [energyRow(1, 2400, 0), energyRow(1, 4800, 7200)];
    expect(ledgerOf([first, second])).toMatchObject({
      energyJoules: { collect: 7200, update: 3600, validate: 0 },
      energySource: 'partly measured',
    });
    expect(ledgerOf([first])?.energySource).toBe('estimated');
    expect(ledgerOf([second])?.energySource).toBe('measured');
    expect(costLine(ledgerOf([first, second]))).toContain('3 Wh partly measured');
    const lines = ledgerLines(['a', 'b'], [ledgerOf([first, second]), ledgerOf(rows)]).join('\n');
    expect(lines).toMatch(/energy Wh +3 +–/);
    expect(lines).toMatch(/collect Wh +2 +–/);
    expect(lines).toMatch(/energy is +partly measured +not recorded/);
  });

  it('adds up the price over attempts on devices of different prices', () => {
    const priced = [0.5, 1.5, undefined].map((price) =>
      row({ 'time/step_seconds': 1, ...(price === undefined ? {} : { 'time/price': price }) }),
    );
    const [first, last] = [row({ 'validation/success_rate': 0.2 }), row({ 'validation/success_rate': 0.5 })];
    const ledger = ledgerOf([first, ...priced, last]);
    expect(ledger?.price).toBe(2);
    expect(ledger?.perPrice).toBeCloseTo(15, 9);
    expect(costLine(ledger)).toContain('a price of 2,');
    const lines = ledgerLines(['a', 'b'], [ledger, ledgerOf(rows)]).join('\n');
    expect(lines).toMatch(/price +2 +–\n +points per unit +15 +–/);
    expect(ledgerLines(['b'], [ledgerOf(rows)]).join('\n')).not.toContain('price');
  });

  it('leaves out what was not measured instead of counting zero', () => {
    expect(ledgerOf([])).toBeUndefined();
    const once = ledgerOf(rows.slice(2));
    expect(once).not.toHaveProperty('successPoints');
    expect(once).not.toHaveProperty('processorSeconds');
    expect(ledgerLines(['a'], [once]).join('\n')).toMatch(/per device-hour +–/);
    expect(ledgerLines(['a'], [undefined])).toEqual([]);
  });
});
