/**
 * @file The energy of the phases of a run: read from counters of the machine where it has some that this process may read,
 * estimated from time otherwise. The processors and the board (a GPU) are looked at on their own.
 */
import type { RunSpec } from '@espalier/contracts';
import { type EnergyCounter, openPackageCounter } from './energy-counter.js';

/**
 * Watts of a processor (hardware thread) that is busy: the average maximum of a vCPU in the coefficients of Cloud Carbon
 * Footprint (MAX_WATTS_AVG of AWS).
 */
const defaultProcessorWatts = 3.5;
/** Watts of a GPU's board: the limit of an A100 with PCIe; an H100 with SXM may draw 700. */
const defaultBoardWatts = 300;

/** Times since some start, in seconds. */
export interface SpentTime {
  readonly wall: number;
  /** of all threads of the process */
  readonly processor: number;
}

export interface Energy {
  readonly joules: number;
  /** the part of `joules` that counters gave; the rest is estimated */
  readonly measuredJoules: number;
}

/** The state of the counters at some moment; undefined: there is none, or it could not be read. */
export interface EnergyMark {
  readonly processor: number | undefined;
  readonly board: number | undefined;
}

export interface EnergyMeter {
  mark(): EnergyMark;
  /** The energy between two marks, which are `spent` apart. */
  between(before: EnergyMark, after: EnergyMark, spent: SpentTime): Energy;
  close(): void;
}

type Device = Pick<RunSpec['device'], 'provider' | 'processorWatts' | 'boardWatts'>;

export interface EnergyCounters {
  readonly processor: EnergyCounter | undefined;
  readonly board: EnergyCounter | undefined;
}

/** A counter wraps after about 260 kJ on many processors: 11 minutes at 400 W. */
const readEveryMs = 60_000;

/** Opens the meter of a run's device. */
export function openEnergyMeter(
  device: Device,
  { processor, board }: EnergyCounters = { processor: openPackageCounter(), board: undefined },
): EnergyMeter {
  const { processorWatts = defaultProcessorWatts, boardWatts = defaultBoardWatts } = device;
  const hasBoard = device.provider !== 'cpu';
  const mark = (): EnergyMark => ({
    processor: processor?.read(),
    board: hasBoard ? board?.read() : undefined,
  });
  const timer = processor === undefined ? undefined : setInterval(mark, readEveryMs);
  timer?.unref();
  return {
    mark,
    between(before, after, spent) {
      const parts = [
        energyOf(before.processor, after.processor, processorWatts * spent.processor),
        ...(hasBoard ? [energyOf(before.board, after.board, boardWatts * spent.wall)] : []),
      ];
      return {
        joules: parts.reduce((sum, { joules }) => sum + joules, 0),
        measuredJoules: parts.reduce((sum, { measuredJoules }) => sum + measuredJoules, 0),
      };
    },
    close: () => clearInterval(timer),
  };
}

function energyOf(before: number | undefined, after: number | undefined, estimate: number): Energy {
  if (before === undefined || after === undefined || after < before)
    return { joules: estimate, measuredJoules: 0 };
  return { joules: after - before, measuredJoules: after - before };
}
