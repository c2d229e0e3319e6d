/**
 * @file A policy that reads its prompt or answers with one phrase to all, on prompts of which few tell the two apart. Its
 * logit walks on a lattice, so the distribution over runs is computed exactly: docs/learn/theory.md, "The Echo Trap".
 */
import { binomial, convolve } from './binomial.js';
import { entropyOf, logitOf, sigmoid } from './sigmoid.js';

export interface EchoTrap {
  /** groups of a step, each of two replies to one prompt */
  readonly groups: number;
  /** of these, how many have a prompt that rewards reading; the others pay every reply alike, but for chance */
  readonly telling: number;
  /** groups that are kept, those with the largest deviation; all of them: no filter */
  readonly kept: number;
  /** what advantages are divided by */
  readonly divisor: 'group' | 'none';
  /** probability that a telling prompt pays 1 to a reply that read it; else 0 */
  readonly read: number;
  /** the same for the phrase */
  readonly echo: number;
  /** the other prompts pay their mean plus or minus 1 / (2 · noise): a whole number ≥ 2, so that noise < reward */
  readonly noise: number;
  /** probability of reading at the beginning */
  readonly start: number;
  readonly learningRate: number;
  readonly steps: number;
  /** different prompts, for the mutual information */
  readonly prompts: number;
}

/** A run that reads less than this share of its prompts is trapped. */
export const trappedBelow = 0.05;

/** The logit is held within this bound. */
const bound = 6;

/** Probabilities of a group: its rewards differ and the logit goes up, down, stays; rewards agree. */
interface GroupChances {
  readonly up: number;
  readonly down: number;
  readonly still: number;
}

/** A group on a telling prompt, under a policy that reads with probability `p`. */
export function chancesOfTelling({ read, echo }: EchoTrap, p: number): GroupChances {
  const differ = 2 * p * (1 - p);
  const alike = p ** 2 * 2 * read * (1 - read) + (1 - p) ** 2 * 2 * echo * (1 - echo);
  return { up: differ * read * (1 - echo), down: differ * (1 - read) * echo, still: alike };
}

/** A group on a prompt that pays alike: two fair draws, which agree in half of the cases. */
export function chancesOfOther(p: number): GroupChances {
  const differ = 2 * p * (1 - p);
  return { up: differ / 4, down: differ / 4, still: (1 - differ) / 2 };
}

/** What one group moves the logit by, and by how many lattice units. */
interface Lattice {
  readonly unit: number;
  readonly telling: number;
  readonly other: number;
}

/**
 * Gives the lattice. Of two replies with advantages ±A that differ in their choice, the gradient is ±A/2. Divided by the deviation (divisor
 * n − 1) A is 1/√2 for every group; undivided it is half the difference: 1/2, or 1/(2 · noise).
 */
export function latticeOf({ divisor, noise, kept, learningRate }: EchoTrap): Lattice {
  if (divisor === 'group') return { unit: learningRate / (kept * 2 * Math.SQRT2), telling: 1, other: 1 };
  return { unit: learningRate / (kept * 4 * noise), telling: noise, other: 1 };
}

/** The last places of the lattice within the bound; it goes through the start. */
export function lowestAndHighest(model: EchoTrap): [number, number] {
  const { unit } = latticeOf(model);
  const start = logitOf(model.start);
  return [
    start - Math.floor((start + bound) / unit) * unit,
    start + Math.floor((bound - start) / unit) * unit,
  ];
}

/** Distribution of the sum over `count` groups that differ, in units of `size`; index 0 = −count · size. */
function sumOf(count: number, { up, down, still }: GroupChances, size: number): Float64Array {
  const all = up + down + still;
  const one = new Float64Array(2 * size + 1);
  one[0] = down / all;
  one[size] = still / all;
  one[2 * size] = (one[2 * size] as number) + up / all;
  let sum: Float64Array = Float64Array.of(1);
  for (let n = 0; n < count; n++) sum = convolve(sum, one);
  return sum;
}

/** Distribution of one step of the logit in lattice units; the middle is 0. */
export function stepDistribution(model: EchoTrap, p: number): Float64Array {
  const { groups, telling, kept } = model;
  const lattice = latticeOf(model);
  const [first, second] = [chancesOfTelling(model, p), chancesOfOther(p)];
  const half = kept * Math.max(lattice.telling, lattice.other);
  const step = new Float64Array(2 * half + 1);
  const firstCounts = binomial(telling, first.up + first.down + first.still);
  const secondCounts = binomial(groups - telling, second.up + second.down + second.still);
  // groups of a telling prompt have the larger deviation, so the filter takes them first
  firstCounts.forEach((ofFirst, a) =>
    secondCounts.forEach((ofSecond, b) => {
      const keptFirst = Math.min(a, kept);
      const keptSecond = Math.min(b, kept - keptFirst);
      const sum = convolve(
        sumOf(keptFirst, first, lattice.telling),
        sumOf(keptSecond, second, lattice.other),
      );
      const least = half - (sum.length - 1) / 2;
      sum.forEach(
        (weight, i) => (step[least + i] = (step[least + i] as number) + ofFirst * ofSecond * weight),
      );
    }),
  );
  return step;
}

/** Expected step of the logit under a policy that reads with probability `p`. */
export function expectedStep(model: EchoTrap, p: number): number {
  const step = stepDistribution(model, p);
  const middle = (step.length - 1) / 2;
  return latticeOf(model).unit * step.reduce((sum, weight, i) => sum + weight * (i - middle), 0);
}

export interface TrapPath {
  /** all before each step and at the end, as means over runs; `trapped`: share of runs that read less than 5 % */
  readonly reading: readonly number[];
  /** success on telling prompts */
  readonly success: readonly number[];
  /** entropy of the choice, nats */
  readonly entropy: readonly number[];
  /** mutual information of prompt and reply, nats: p log(prompts), since a reply that reads names its prompt */
  readonly information: readonly number[];
  /** probability that the rewards of a telling group differ */
  readonly signal: readonly number[];
  readonly trapped: readonly number[];
}

/** Computes the distribution of the logit over all runs, step by step. */
export function computeTrap(model: EchoTrap): TrapPath {
  const { unit } = latticeOf(model);
  const [lowest, highest] = lowestAndHighest(model);
  const below = Math.round((logitOf(model.start) - lowest) / unit);
  const places = Math.round((highest - lowest) / unit) + 1;
  const shares = Float64Array.from({ length: places }, (_, i) => sigmoid(lowest + i * unit));
  const steps = Array.from(shares, (p) => stepDistribution(model, p));
  let runs = new Float64Array(places);
  runs[below] = 1;
  const path = emptyPath();
  for (let step = 0; step <= model.steps; step++) {
    record(path, model, runs, shares);
    const next = new Float64Array(places);
    runs.forEach((weight, i) => {
      if (weight < 1e-18) return;
      const jump = steps[i] as Float64Array;
      const middle = (jump.length - 1) / 2;
      jump.forEach((chance, j) => {
        const place = Math.min(places - 1, Math.max(0, i + j - middle));
        next[place] = (next[place] as number) + weight * chance;
      });
    });
    runs = next;
  }
  return path;
}

type Growing = { [name in keyof TrapPath]: number[] };

export function emptyPath(): Growing {
  return { reading: [], success: [], entropy: [], information: [], signal: [], trapped: [] };
}

/** Adds the means over runs, of which `runs[i]` are at the share `shares[i]`. */
export function record(path: Growing, model: EchoTrap, runs: Float64Array, shares: Float64Array): void {
  const mean = (of: (p: number) => number): number =>
    runs.reduce((sum, weight, i) => sum + weight * of(shares[i] as number), 0);
  const reading = mean((p) => p);
  path.reading.push(reading);
  path.success.push(mean((p) => p * model.read + (1 - p) * model.echo));
  path.entropy.push(mean(entropyOf));
  path.information.push(reading * Math.log(model.prompts));
  path.signal.push(
    mean((p) => {
      const { up, down, still } = chancesOfTelling(model, p);
      return up + down + still;
    }),
  );
  path.trapped.push(mean((p) => (p < trappedBelow ? 1 : 0)));
}
