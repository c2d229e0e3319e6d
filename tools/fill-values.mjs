/**
 * @file Stores many metric values in PostgreSQL, as blocks and by the code that packs them, without the server in front of it: what a
 * server has after `retention.metricsDays`. Each run gets the same number of steps and metrics, and other values. For check:load.
 */
import { statfsSync } from 'node:fs';
import { default as pg } from 'pg';
import { buildBlocks, rowsPerBlock } from '../apps/server/dist/core/history/metrics/build-blocks.js';

export const metricsOfRun = 100;
/** blocks of one INSERT */
const blocksAtOnce = 400;
/** bytes on disk that stay free */
const leastFree = 30e9;
const stepMs = 4000;

/** types of the columns that are not bigint, int or text */
const floats = new Set(['min', 'max', 'sum', 'firstTime', 'lastTime', 'minTime', 'maxTime']);
const texts = new Set(['runId', 'name', 'packedSteps', 'packedTimes', 'packedValues']);

/**
 * Fills runs until all have `values` together; a run once filled stays as it is.
 *
 * @returns how many runs have values, how many values there are, and why it ended before, if it did
 */
export async function fillValues({ url, folder, values, steps, endAt }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET synchronous_commit = off');
    const { rows: empty } = await client.query(
      `SELECT id FROM run WHERE name LIKE 'run-%' AND NOT EXISTS (SELECT 1 FROM metric_block WHERE "runId" = run.id)
       ORDER BY "createdAt" DESC`,
    );
    const { rows: filled } = await client.query(
      `SELECT COUNT(*)::int AS count FROM run WHERE name LIKE 'run-%' AND EXISTS (SELECT 1 FROM metric_block WHERE "runId" = run.id)`,
    );
    let count = filled[0].count;
    let why = 'no run is left without values';
    const wanted = Math.ceil(values / (steps * metricsOfRun));
    for (const { id } of empty) {
      if (count >= wanted) {
        why = undefined;
        break;
      }
      const { bavail, bsize } = statfsSync(folder);
      why = performance.now() > endAt ? 'time' : bavail * bsize < leastFree ? 'disk' : undefined;
      if (why !== undefined) break;
      await fillRun(client, id, steps, count);
      count += 1;
    }
    if (count >= wanted) why = undefined;
    await client.query('VACUUM (ANALYZE) metric_block');
    return { runs: count, values: count * steps * metricsOfRun, why };
  } finally {
    await client.end();
  }
}

/** Gives a run a history of `steps` rows, 4 s apart on average. */
export async function fillRun(client, id, steps, seed) {
  const random = generator(seed + 1);
  const level = Array.from({ length: metricsOfRun }, () => random());
  let time = Date.now() - steps * stepMs;
  let latest = {};
  let blocks = [];
  for (let from = 0; from < steps; from += rowsPerBlock) {
    const rows = [];
    for (let step = from; step < Math.min(steps, from + rowsPerBlock); step += 1) {
      const values = {};
      for (let metric = 0; metric < metricsOfRun; metric += 1) {
        level[metric] += (random() - 0.5) * 0.1;
        values[`bench/metric_${metric}`] = level[metric];
      }
      time += Math.round(stepMs * (0.5 + random()));
      rows.push({ cursor: step + 1, attempt: 1, step, time, values });
      latest = values;
    }
    blocks.push(...buildBlocks(id, rows));
    if (blocks.length >= blocksAtOnce) {
      await insertBlocks(client, blocks);
      blocks = [];
    }
  }
  await insertBlocks(client, blocks);
  await client.query('UPDATE run SET head = $2, step = $3, steps = $3, latest = $4 WHERE id = $1', [
    id,
    steps,
    steps - 1,
    JSON.stringify(latest),
  ]);
}

/** As the server does: one array for each column. */
async function insertBlocks(client, blocks) {
  if (blocks.length === 0) return;
  const names = Object.keys(blocks[0]);
  const typeOf = (name) =>
    texts.has(name)
      ? 'text'
      : floats.has(name)
        ? 'double precision'
        : name.endsWith('Cursor')
          ? 'bigint'
          : 'int';
  const columns = names.map((name) => `"${name}"`).join(', ');
  const arrays = names.map((name, index) => `$${index + 1}::${typeOf(name)}[]`).join(', ');
  await client.query({
    name: 'insert-blocks',
    text: `INSERT INTO metric_block (${columns}) SELECT * FROM unnest(${arrays})`,
    values: names.map((name) => blocks.map((block) => block[name])),
  });
}

/** Numbers in [0, 1) with all their bits, so that nothing is stored smaller than a measured value. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
