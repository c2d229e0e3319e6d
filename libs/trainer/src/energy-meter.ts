/**
 * @file The energy of the phases of a run: of the processors, read from counters of the machine where it has some that this
 * process may read, estimated from time otherwise; of the board (a GPU), always estimated.
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

export interface EnergyMeter {
  /** The joules of the counters of the processors so far; undefined: there are none, or they could not be read. */
  mark(): number | undefined;
  /** The energy between two marks, which are `spent` apart. */
  between(before: number | undefined, after: number | undefined, spent: SpentTime): Energy;
  close(): void;
}

type Device = Pick<RunSpec['device'], 'provider' | 'processorWatts' | 'boardWatts'>;

/** A counter wraps after about 260 kJ on many processors: 11 minutes at 400 W. */
const readEveryMs = 60_000;

/** Opens the meter of a run's device. */
export function openEnergyMeter(
  { provider, processorWatts = defaultProcessorWatts, boardWatts = defaultBoardWatts }: Device,
  openCounter: () => EnergyCounter | undefined = openPackageCounter,
): EnergyMeter {
  const counter = openCounter();
  const watts = provider === 'cpu' ? 0 : boardWatts;
  const mark = (): number | undefined => counter?.read();
  const timer = counter === undefined ? undefined : setInterval(mark, readEveryMs);
  timer?.unref();
  return {
    mark,
    between(before, after, { wall, processor }) {
      const ofBoard = watts * wall;
      if (before === undefined || after === undefined || after < before)
        return { joules: processorWatts * processor + ofBoard, measuredJoules: 0 };
      return { joules: after - before + ofBoard, measuredJoules: after - before };
    },
    close: () => clearInterval(timer),
  };
}
