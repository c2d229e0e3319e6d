/**
 * @file The energy of the phases of a run, of the processors and of the board (a GPU): read from counters where there are some
 * that this process may read, estimated from time otherwise.
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

/** The joules of counters so far; undefined: there is none, or it could not be read. */
export interface EnergyMark {
  readonly processors: number | undefined;
  readonly board: number | undefined;
}

export interface EnergyMeter {
  mark(): EnergyMark;
  /** The energy between two marks, which are `spent` apart. */
  between(before: EnergyMark | undefined, after: EnergyMark, spent: SpentTime): Energy;
  close(): void;
}

type Device = Pick<RunSpec['device'], 'provider' | 'processorWatts' | 'boardWatts'>;

/** A counter wraps after about 260 kJ on many processors: 11 minutes at 400 W. */
const readEveryMs = 60_000;

export interface Counters {
  /** of the board, since some start; default: none */
  readonly readBoard?: (() => number | undefined) | undefined;
  /** of the processors; default: RAPL */
  readonly openPackages?: () => EnergyCounter | undefined;
}

/** Opens the meter of a run's device. */
export function openEnergyMeter(
  { provider, processorWatts = defaultProcessorWatts, boardWatts = defaultBoardWatts }: Device,
  { readBoard, openPackages = openPackageCounter }: Counters = {},
): EnergyMeter {
  const counter = openPackages();
  const watts = provider === 'cpu' ? 0 : boardWatts;
  const timer = counter === undefined ? undefined : setInterval(() => counter.read(), readEveryMs);
  timer?.unref();
  return {
    mark: () => ({ processors: counter?.read(), board: readBoard?.() }),
    between(before, after, { wall, processor }) {
      const ofProcessors = difference(before?.processors, after.processors);
      const ofBoard = difference(before?.board, after.board);
      return {
        joules: (ofProcessors ?? processorWatts * processor) + (ofBoard ?? watts * wall),
        measuredJoules: (ofProcessors ?? 0) + (ofBoard ?? 0),
      };
    },
    close: () => clearInterval(timer),
  };
}

/** Undefined where one was not read, or the counter began anew. */
const difference = (before: number | undefined, after: number | undefined): number | undefined =>
  before === undefined || after === undefined || after < before ? undefined : after - before;
