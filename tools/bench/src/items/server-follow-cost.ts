/**
 * @file What it costs a training to run under the server, and to be followed there: the run of the quickstart, whose
 * steps take less than a second, and a run on FrozenLake, whose steps take seconds. Both with as many threads as there
 * are cores, so that whatever else runs takes from them; the first with one thread too, so that a core is free as on
 * most machines that serve; the second, which is the longest, also with 200 followers who do not read. Same spec and seed in
 * all ways, taken in turn; ratios of the medians.
 */
import { loadavg } from 'node:os';
import { type BenchItem, type BenchRow, buildRow, median } from '../row.js';
import { type Audience, type Cost, type CostParts, startCostParts } from '../server/cost-parts.js';

/** The run of the quickstart (config/runs/bandit-starpo-s.yaml) with fewer steps. */
const bandit = {
  environment: { use: 'bandit' },
  optimizer: { learningRate: 2e-4 },
  algorithm: { use: 'starpo-s', estimator: 'group', keepRatio: 0.5 },
  update: { miniBatches: 2 },
  validation: { every: 8, episodes: 256 },
};

/** config/runs/frozen-lake-grpo.yaml with fewer steps. */
const frozenLake = {
  environment: { use: 'frozen-lake' },
  algorithm: { use: 'grpo' },
  optimizer: { learningRate: 2e-4 },
  validation: { every: 10, episodes: 512 },
};

const stalledFollowers = 200;
const ways = ['plain', 'alone', 'followed'] as const;
type Way = (typeof ways)[number] | 'stalled';
type Taken = Record<Way, Cost[]>;

/** Measures the ways in turn, for each kind of run. */
export const serverFollowCost: BenchItem = async ({ short, threads }) => {
  const parts = await startCostParts();
  const take = async (
    run: object,
    steps: number,
    used: number,
    rounds = 3,
    more: readonly Way[] = [],
  ): Promise<Taken> => {
    const spec = { name: 'cost', ...run, steps, device: { threads: used } };
    return measure(parts, spec, short ? 1 : rounds, [...ways, ...more]);
  };
  try {
    const name = 'server-follow-cost';
    const quick = rowsOf(name, threads, await take(bandit, short ? 1 : 20, threads));
    if (short) return quick;
    const single = rowsOf(`${name}/one-thread`, 1, await take(bandit, 20, 1));
    const long = await take(frozenLake, 20, threads, 2, ['stalled']);
    const of = `${name}/frozen-lake`;
    return [...quick, ...single, ...rowsOf(of, threads, long), ...stalledRowsOf(of, threads, long)];
  } finally {
    await parts.close();
  }
};

/** Every other round begins with the last way, so that none is always the first on a machine that cools down. */
async function measure(
  parts: CostParts,
  spec: object,
  rounds: number,
  chosen: readonly Way[],
): Promise<Taken> {
  const taken: Taken = { plain: [], alone: [], followed: [], stalled: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const way of round % 2 === 0 ? chosen : [...chosen].reverse())
      taken[way].push(
        way === 'plain' ? await parts.trainPlain(spec) : await parts.trainUnder(spec, audiences[way]),
      );
  return taken;
}
const audiences: Readonly<Record<Exclude<Way, 'plain'>, Audience>> = {
  alone: 'none',
  followed: 'follower',
  stalled: { stalled: stalledFollowers },
};

const middle = (all: readonly Cost[], what: (cost: Cost) => number): number => median(all.map(what));
const wall = ({ wall }: Cost): number => wall;
const trainer = ({ trainer }: Cost): number => trainer;
const besides = ({ worker, server }: Cost): number => worker + server;
const all = (costs: readonly Cost[], what: (cost: Cost) => number): string =>
  costs.map((cost) => what(cost).toFixed(2)).join(', ');
const listed = (costs: readonly Cost[]): string =>
  `worker ${all(costs, ({ worker }) => worker)}; server ${all(costs, ({ server }) => server)} s`;
const loadNow = (threads: number): string => `${threads} thread(s); load ${loadavg()[0]?.toFixed(1) ?? ''}`;

/** Processor time hardly changes with what else the machine does; a share of it is what is lost at most. */
function rowsOf(name: string, threads: number, { plain, alone, followed }: Taken): BenchRow[] {
  const isPlain = { name: 'espalier train', value: middle(plain, wall) };
  const isAlone = { name: 'under the server, not followed', value: middle(alone, wall) };
  const of = loadNow(threads);
  const unit = 's of processor time';
  const more = middle(followed, besides) - middle(alone, besides);
  return [
    buildRow(
      `${name}/server`,
      isAlone.value,
      's',
      isPlain,
      `${of}; plain ${all(plain, wall)}; under ${all(alone, wall)} s`,
    ),
    buildRow(
      `${name}/follower`,
      middle(followed, wall),
      's',
      isAlone,
      `${of}; followed ${all(followed, wall)} s`,
    ),
    buildRow(
      `${name}/trainer-processor`,
      middle(alone, trainer),
      `${unit} of the training under the server`,
      { name: 'espalier train', value: middle(plain, trainer) },
      `with the start of its process, and git asked for the revision; plain ${all(plain, trainer)}; under ${all(alone, trainer)}; followed ${all(followed, trainer)} s`,
    ),
    buildRow(
      `${name}/processor`,
      middle(alone, besides),
      `${unit} of worker and server`,
      { name: 'its training', value: middle(alone, trainer) },
      listed(alone),
    ),
    buildRow(
      `${name}/follower-processor`,
      Math.max(0.01, more),
      `${unit} more when followed`,
      { name: 'its training', value: middle(followed, trainer) },
      listed(followed),
    ),
  ];
}

/** Cost of followers that do not read, compared with the same training without followers. */
function stalledRowsOf(name: string, threads: number, { alone, stalled }: Taken): BenchRow[] {
  const followers = `${stalledFollowers} stalled followers`;
  return [
    buildRow(
      `${name}/stalled`,
      middle(stalled, wall),
      's',
      { name: 'under the server, not followed', value: middle(alone, wall) },
      `${followers}; ${loadNow(threads)}; stalled ${all(stalled, wall)}; under ${all(alone, wall)} s`,
    ),
    buildRow(
      `${name}/stalled-processor`,
      Math.max(0.01, middle(stalled, besides) - middle(alone, besides)),
      `s of processor time more with ${followers}`,
      { name: 'its training', value: middle(stalled, trainer) },
      listed(stalled),
    ),
  ];
}
