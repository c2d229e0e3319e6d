/**
 * @file Energy counters of the machine. RAPL, the counter of Intel's and AMD's processors, is a folder of files on Linux,
 * often readable by root only; it wraps, and counts what every program on the machine has used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface EnergyCounter {
  /** Joules since the counter was opened, never less than before; undefined while it cannot be read. */
  read(): number | undefined;
}

interface Zone {
  readonly file: string;
  /** the counter begins anew at this many µJ */
  readonly range: number;
  last: number;
}

const packages = /^intel-rapl:\d+$/;
const inPackage = /^intel-rapl:\d+:\d+$/;

/** Opens the counters of all processor packages and their memory; undefined where one of them cannot be read. */
export function openPackageCounter(root = '/sys/class/powercap'): EnergyCounter | undefined {
  try {
    const names = readdirSync(root);
    const isCounted = (name: string): boolean => {
      const isPackage = packages.test(name);
      if (!isPackage && !inPackage.test(name)) return false;
      const label = readFileSync(join(root, name, 'name'), 'utf8').trim();
      // cores and graphics are part of their package, and `psys` is the whole machine once more
      return isPackage ? label.startsWith('package') : label === 'dram';
    };
    const zones = names.filter(isCounted).map((name) => openZone(join(root, name)));
    return zones.length === 0 ? undefined : countZones(zones);
  } catch {
    return undefined;
  }
}

function openZone(folder: string): Zone {
  const file = join(folder, 'energy_uj');
  const range = readNumber(join(folder, 'max_energy_range_uj'));
  return { file, range, last: readNumber(file) };
}

function countZones(zones: readonly Zone[]): EnergyCounter {
  let microjoules = 0;
  return {
    read() {
      try {
        const values = zones.map(({ file }) => readNumber(file));
        zones.forEach((zone, index) => {
          const value = values[index] ?? zone.last;
          microjoules += value >= zone.last ? value - zone.last : value + zone.range - zone.last;
          zone.last = value;
        });
        return microjoules / 1e6;
      } catch {
        return undefined;
      }
    },
  };
}

/** @throws where the file cannot be read or holds no count */
function readNumber(file: string): number {
  const text = readFileSync(file, 'utf8').trim();
  if (!/^\d{1,15}$/.test(text)) throw new RangeError(`read "${file}": "${text}" is no count of microjoules`);
  return Number(text);
}
