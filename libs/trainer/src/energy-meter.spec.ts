import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPackageCounter } from './energy-counter.js';
import { openEnergyMeter } from './energy-meter.js';
import { createPhaseClock } from './phase-clock.js';

let root = '';
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-rapl-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function zone(folder: string, name: string, microjoules: number | string): void {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'name'), `${name}\n`);
  writeFileSync(join(root, folder, 'max_energy_range_uj'), '10000000\n');
  writeFileSync(join(root, folder, 'energy_uj'), `${microjoules}\n`);
}

describe('openPackageCounter', () => {
  it('adds up packages and their memory, and nothing twice', () => {
    const set = (...[first, second, memory, rest]: [number, number, number, number]): void => {
      zone('intel-rapl:0', 'package-0', first);
      zone('intel-rapl:1', 'package-1', second);
      zone('intel-rapl:0:1', 'dram', memory);
      for (const [folder, name] of [
        ['intel-rapl:0:0', 'core'],
        ['intel-rapl:2', 'psys'],
        ['intel-rapl-mmio:0', 'package-0'],
      ] as const)
        zone(folder, name, rest);
    };
    set(1_000_000, 2_000_000, 3_000_000, 0);
    const counter = openPackageCounter(root);
    expect(counter?.read()).toBe(0);
    set(1_500_000, 2_250_000, 3_125_000, 9_000_000);
    expect(counter?.read()).toBe(0.875);
  });

  it('follows a counter that wraps, more than once', () => {
    zone('intel-rapl:0', 'package-0', 9_000_000);
    const counter = openPackageCounter(root);
    zone('intel-rapl:0', 'package-0', 1_000_000);
    expect(counter?.read()).toBe(2);
    zone('intel-rapl:0', 'package-0', 500_000);
    expect(counter?.read()).toBe(11.5);
  });

  it('has no value while a file cannot be read, and goes on after', () => {
    zone('intel-rapl:0', 'package-0', 1_000_000);
    const counter = openPackageCounter(root);
    zone('intel-rapl:0', 'package-0', 'Permission denied');
    expect(counter?.read()).toBeUndefined();
    zone('intel-rapl:0', 'package-0', 4_000_000);
    expect(counter?.read()).toBe(3);
  });

  it('is absent where there is none, or one of several cannot be read', () => {
    expect(openPackageCounter(join(root, 'missing'))).toBeUndefined();
    expect(openPackageCounter(root)).toBeUndefined();
    zone('intel-rapl:0', 'package-0', 1);
    zone('intel-rapl:1', 'package-1', '');
    expect(openPackageCounter(root)).toBeUndefined();
  });
});

const counterOf = (...values: (number | undefined)[]) => ({ read: () => values.shift() });
const none = () => undefined;
const spent = { wall: 10, processor: 4 };

describe('openEnergyMeter', () => {
  it('estimates from processor time, and on a GPU from time as well', () => {
    const between = (device: Parameters<typeof openEnergyMeter>[0]) => {
      const meter = openEnergyMeter(device, { openPackages: none });
      return meter.between(meter.mark(), meter.mark(), spent);
    };
    expect(between({ provider: 'cpu' })).toEqual({ joules: 14, measuredJoules: 0 });
    expect(between({ provider: 'cpu', processorWatts: 5, boardWatts: 700 })).toEqual({
      joules: 20,
      measuredJoules: 0,
    });
    expect(between({ provider: 'cuda', boardWatts: 700 })).toEqual({ joules: 7014, measuredJoules: 0 });
    expect(between({ provider: 'webgpu', processorWatts: 0 })).toEqual({ joules: 3000, measuredJoules: 0 });
  });

  it('takes what counters say, and estimates the rest', () => {
    const meter = openEnergyMeter(
      { provider: 'cuda', boardWatts: 100 },
      { openPackages: () => counterOf(5, 35) },
    );
    expect(meter.between(meter.mark(), meter.mark(), spent)).toEqual({ joules: 1030, measuredJoules: 30 });
    meter.close();
  });

  it('takes the board’s counter too, alone as well, and estimates where it fails or begins anew', () => {
    const between = (packages: [number, number] | undefined, ...board: (number | undefined)[]) => {
      const meter = openEnergyMeter(
        { provider: 'cuda', processorWatts: 2, boardWatts: 100 },
        {
          readBoard: () => board.shift(),
          openPackages: packages === undefined ? none : () => counterOf(...packages),
        },
      );
      const energy = meter.between(meter.mark(), meter.mark(), spent);
      meter.close();
      return energy;
    };
    expect(between([5, 35], 10, 410)).toEqual({ joules: 430, measuredJoules: 430 });
    expect(between(undefined, 10, 410)).toEqual({ joules: 408, measuredJoules: 400 });
    expect(between([5, 35], 10, undefined)).toEqual({ joules: 1030, measuredJoules: 30 });
    expect(between(undefined, 10, 5)).toEqual({ joules: 1008, measuredJoules: 0 });
  });

  it('estimates a phase in which a counter fails, and counts none of it twice after', async () => {
    const meter = openEnergyMeter(
      { provider: 'cpu', processorWatts: 1 },
      { openPackages: () => counterOf(0, 50, undefined, 80, 90) },
    );
    const times = [0, 1000, 2000, 3000, 4000];
    const clock = createPhaseClock(
      meter,
      () => 0,
      () => times.shift() ?? 0,
    );
    for (const phase of ['collect', 'update', 'update', 'report'] as const)
      await clock.time(phase, () => undefined);
    meter.close();
    expect(clock.energy('collect')).toEqual({ joules: 50, measuredJoules: 50 });
    expect(clock.energy('update')).toEqual({ joules: 2, measuredJoules: 0 });
    expect(clock.energy('report')).toEqual({ joules: 10, measuredJoules: 10 });
    expect(clock.energy('select')).toEqual({ joules: 0, measuredJoules: 0 });
  });
});
