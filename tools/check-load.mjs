/**
 * npm run check:load [-- --runs 10000 --workers 1000 --database postgres|sqlite --minutes 6]: one server with many stored runs, then
 * with many workers beside them. On loopback only; workers are simulated, over the real protocol, each with a run and a heartbeat
 * every 3 s. It prints the memory of the server and how long what a page asks for takes. `--short` is a few of each.
 *
 * `--values 1e7,1e8,1e9 --steps 1000` gives the runs so many metric values, in stages, and asks what grows with them; `--minutes` bounds it. PostgreSQL only.
 * 1e9 values take 25 GB of disk in the folder for temporary files.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install } from './steps.mjs';

const { values: given } = parseArgs({
  options: {
    runs: { type: 'string' },
    workers: { type: 'string' },
    database: { type: 'string', default: 'postgres' },
    minutes: { type: 'string', default: '6' },
    values: { type: 'string' },
    steps: { type: 'string', default: '1000' },
    short: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
  },
});
const wantedRuns = Number(given.runs ?? (given.short ? 60 : 10_000));
const wantedWorkers = Number(given.workers ?? (given.short ? 4 : 1000));
const rounds = given.short ? 2 : 20;
const patterns = 8;
const heartbeatMs = 3000;
const end = performance.now() + Number(given.minutes) * 60_000;

if (!given.built && (install() !== 0 || build() !== 0)) process.exit(1);
const { createClient } = await import('@espalier/client');
const { startPostgres } = await import('@espalier/testing');
const { startBenchWorker, wideRow } = await import('./bench/dist/server/bench-worker.js');
const { startServerIn } = await import('./bench/dist/server/bench-server.js');
const { percentile } = await import('./bench/dist/row.js');
const { default: Database } = await import('libsql');
const { default: pg } = await import('pg');
const { fillValues } = await import('./fill-values.mjs');

const folder = mkdtempSync(join(tmpdir(), 'espalier-load-'));
const postgres = given.database === 'postgres' ? await startPostgres() : undefined;
let server;
const workers = [];
try {
  server = await startServer();
  await makePatterns();
  await server.stop();
  const made = performance.now();
  await multiplyRuns();
  say(`${wantedRuns} runs stored in ${seconds(made)}`);
  if (given.values === undefined) await carryWorkers();
  else for (const values of given.values.split(',').map(Number)) if (!(await carryValues(values))) break;
} finally {
  for (const worker of workers) worker.close();
  await server?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function carryWorkers() {
  const begin = performance.now();
  server = await startServer();
  say(`the server is up after ${seconds(begin)}, ${server.residentMb().toFixed(0)} MB`);
  await askAll(`${wantedRuns} runs`);
  await joinWorkers();
  await askAll(`${wantedRuns} runs and ${workers.length} workers`);
}

/** Stores metric values until there are so many, and asks what grows with them; false: that was the last that could be stored. */
async function carryValues(values) {
  const begin = performance.now();
  const filled = await fillValues({
    url: postgres.url,
    folder,
    values,
    steps: Number(given.steps),
    endAt: end,
  });
  const [bytes, parts] = await sizesOnDisk();
  say(
    `${filled.values.toExponential(2)} values in ${filled.runs} runs, ${seconds(begin)} for this stage; ${(bytes / 1e9).toFixed(2)} GB, ${(bytes / filled.values).toFixed(1)} bytes a value${filled.why === undefined ? '' : `; ended by ${filled.why}`}`,
  );
  for (const part of parts)
    console.log(`  ${part.name.padEnd(28)} ${(part.bytes / 1e9).toFixed(2).padStart(7)} GB`);
  const started = performance.now();
  server = await startServer();
  say(`the server is up after ${seconds(started)}, ${server.residentMb().toFixed(0)} MB`);
  await askAll(`${filled.values.toExponential(0)} values`);
  await askHistories(filled.runs);
  await postMore();
  await server.stop();
  return filled.why === undefined;
}

async function sizesOnDisk() {
  const database = await openPostgres();
  const [{ bytes }] = await database.read('SELECT pg_database_size(current_database())::float AS bytes');
  const parts = await database.read(
    `SELECT relname AS name, pg_relation_size(oid)::float AS bytes FROM pg_class
     WHERE relkind IN ('r', 'i', 't') ORDER BY pg_relation_size(oid) DESC LIMIT 6`,
  );
  await database.close();
  return [bytes, parts];
}

/** Many values posted through the front, of a run that is new. */
async function postMore() {
  const worker = await startBenchWorker(server, `writer-${performance.now()}`);
  const before = server.processorSeconds();
  const begin = performance.now();
  const [messages, rows, width] = given.short ? [2, 10, 100] : [40, 250, 100];
  for (let message = 0; message < messages; message += 1)
    await worker.send(Array.from({ length: rows }, (_, row) => wideRow(message * rows + row, width)));
  const count = messages * rows * width;
  const spent = ((server.processorSeconds() - before) * 1e6) / count;
  say(`${count} values posted in ${seconds(begin)}; ${spent.toFixed(1)} µs of processor each, server`);
  worker.close();
}

/** What pages of metrics ask for; each time about other runs, so that nothing is answered from memory that a page would have to read. */
async function askHistories(runs) {
  const { client } = server;
  const ids = [];
  for (let after; ids.length < Math.min(runs, 2000);) {
    const { items, pageInfo } = await client.overview.runs(
      { states: ['finished'] },
      { first: 100, ...(after && { after }) },
    );
    ids.push(...items.filter(({ step }) => step >= 0).map(({ id }) => id));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  const take = (round, count) =>
    Array.from(
      { length: Math.min(count, ids.length) },
      (_, index) => ids[(round * count + index) % ids.length],
    );
  const names = (count) => Array.from({ length: count }, (_, index) => `bench/metric_${index}`);
  await ask(
    {
      'names of a run': (round) => client.metrics.names(take(round, 1)[0]),
      '12 metrics of a run': (round) => client.metrics.history(take(round, 1), names(12), { points: 600 }),
      'one metric of 100 runs': (round) =>
        client.metrics.history(take(round, 100), names(1), { points: 600 }),
      'compare 100 runs, 4': (round) =>
        client.runs.compare(take(round, 100), { metrics: names(4), points: 300 }),
      'compare 10 runs, all': (round) => client.runs.compare(take(round, 10), { points: 300 }),
    },
    given.short ? 2 : 10,
  );
}

function say(line) {
  console.log(`${line}; load ${loadavg()[0].toFixed(1)}`);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Starts the server on the data of this check, and a client. */
async function startServer() {
  const settings = { LOGLEVEL: 'error', LIMITS__SOCKETSPERKEY: String(wantedWorkers + 100) };
  const started = await startServerIn({ folder, postgres, settings });
  const client = createClient({ url: started.url, key: started.adminKey });
  return {
    ...started,
    client,
    async stop() {
      await client.dispose();
      await started.stop('SIGTERM');
    },
  };
}

/** A few runs with a history, which the others are copies of. */
async function makePatterns() {
  for (let index = 0; index < patterns; index += 1) {
    const worker = await startBenchWorker(server, `pattern-${index}`);
    await worker.send(Array.from({ length: 200 }, (_, step) => wideRow(step, 20)));
    worker.close();
  }
}

/** Copies the runs with their jobs and attempts, under other ids, names, groups, projects and times. */
async function multiplyRuns() {
  const database = postgres ? await openPostgres() : openSqlite();
  const read = async (table) => database.read(`SELECT * FROM ${table}`);
  const [runs, jobs, attempts] = [await read('run'), await read('job'), await read('attempt')];
  const newId = (id) => `${id.slice(0, id.indexOf('-') + 11)}-${randomBytes(5).toString('hex')}`;
  const now = Date.now();
  const end = { state: 'finished', endedAt: now };
  for (let from = 0; from < wantedRuns; from += 200) {
    const rows = { run: [], job: [], attempt: [] };
    for (let index = from; index < Math.min(wantedRuns, from + 200); index += 1) {
      const run = runs[index % runs.length];
      const ids = { run: newId(run.id), job: '', attempt: '' };
      const createdAt = now - (wantedRuns - index) * 60_000;
      const project = index % 10 === 0 ? 'other' : 'default';
      const state = index % 20 === 0 ? 'failed' : 'finished';
      rows.run.push({
        ...run,
        ...end,
        id: ids.run,
        name: `run-${index}`,
        search: `run-${index}\n${run.search}`,
        group_name: `group-${Math.floor(index / 5)}`,
        project,
        state,
        createdAt,
        idempotencyKey: null,
      });
      for (const job of jobs.filter(({ runId }) => runId === run.id)) {
        const id = newId(job.id);
        rows.job.push({
          ...job,
          ...end,
          id,
          runId: ids.run,
          project,
          state,
          createdAt,
          workerId: null,
          attemptId: null,
        });
        for (const attempt of attempts.filter(({ jobId }) => jobId === job.id))
          rows.attempt.push({
            ...attempt,
            id: newId(attempt.id),
            jobId: id,
            runId: ids.run,
            state: 'ended',
            endedAt: now,
          });
      }
    }
    for (const [table, list] of Object.entries(rows)) await database.insert(table, list);
  }
  // what the patterns left behind waits for nobody
  for (const table of ['run', 'job'])
    await database.write(`UPDATE ${table} SET state = 'finished' WHERE state NOT IN ('finished', 'failed')`);
  await database.write(`UPDATE attempt SET state = 'ended' WHERE state IN ('assigned', 'running')`);
  if (postgres) await database.write('ANALYZE');
  await database.close();
}

function asColumn(value) {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
}

async function openPostgres() {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  return {
    read: async (sql) => (await client.query(sql)).rows,
    write: (sql) => client.query(sql),
    async insert(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      for (let from = 0; from < rows.length; from += 100) {
        const part = rows.slice(from, from + 100);
        const places = part.map(
          (_, row) => `(${names.map((_, column) => `$${row * names.length + column + 1}`).join(', ')})`,
        );
        const values = part.flatMap((row) => names.map((name) => asColumn(row[name])));
        await client.query(
          `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES ${places.join(', ')}`,
          values,
        );
      }
    },
    close: () => client.end(),
  };
}

function openSqlite() {
  const database = new Database(join(folder, 'database.sqlite'));
  return {
    read: async (sql) => database.prepare(sql).all(),
    write: async (sql) => void database.exec(sql),
    async insert(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      const add = database.prepare(
        `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      database.transaction(() => rows.forEach((row) => add.run(names.map((name) => asColumn(row[name])))))();
    },
    close: async () => database.close(),
  };
}

/** What the pages of runs and of the cluster ask for. */
async function askAll(what) {
  const { client } = server;
  const page = { first: 100 };
  const newest = (await client.overview.runs({}, page)).items.map(({ id }) => id);
  const questions = {
    'runs, newest': () => client.overview.runs({}, page),
    'runs, next page': async () => client.overview.runs({}, { ...page, after: cursor }),
    'runs, by name': () =>
      client.overview.runs({}, { ...page, orderBy: { field: 'name', direction: 'asc' } }),
    'runs, ended last': () =>
      client.overview.runs({}, { ...page, orderBy: { field: 'endedAt', direction: 'desc' } }),
    'runs, with text': () => client.overview.runs({ text: 'run-77' }, page),
    'runs, failed': () => client.overview.runs({ states: ['failed'] }, page),
    'runs of a project': () => client.overview.runs({ project: 'other' }, page),
    'number of runs': () => client.totals.runs({}),
    'number with text': () => client.totals.runs({ text: 'run-77' }),
    'lines of 50 runs': () => client.metrics.history(newest.slice(0, 50), ['bench/metric_1'], { points: 60 }),
    'one run': () => client.runs.get(newest[5]),
    workers: () => client.overview.workers({ first: 100 }),
    'jobs that wait': () => client.overview.jobs(['queued'], page),
  };
  const cursor = (await client.overview.runs({}, page)).pageInfo.endCursor;
  say(`with ${what}: ${server.residentMb().toFixed(0)} MB, ${server.peakMb().toFixed(0)} MB at most`);
  await ask(questions, rounds);
}

/** How long each question takes, after a first time; a question is told which round it is. */
async function ask(questions, rounds) {
  for (const [name, question] of Object.entries(questions)) {
    await question(rounds);
    const times = [];
    const before = server.processorSeconds();
    for (let round = 0; round < rounds; round += 1) {
      const begin = performance.now();
      await question(round);
      times.push(performance.now() - begin);
    }
    const spent = ((server.processorSeconds() - before) * 1000) / rounds;
    const at = (share) => percentile(times, share).toFixed(0);
    console.log(
      `  ${name.padEnd(22)} p50 ${at(0.5).padStart(5)} ms, p95 ${at(0.95).padStart(5)} ms; ${spent.toFixed(0).padStart(4)} ms of processor, server`,
    );
  }
}

/** Lets workers join, ten at a time, until all are there or the time is over; then looks on for a while. */
async function joinWorkers() {
  const begin = performance.now();
  const before = server.processorSeconds();
  while (workers.length < wantedWorkers && performance.now() < end - 60_000) {
    const some = Math.min(10, wantedWorkers - workers.length);
    const joined = Array.from({ length: some }, (_, index) =>
      startBenchWorker(server, `load-${workers.length + index}`, heartbeatMs),
    );
    workers.push(...(await Promise.all(joined)));
  }
  const spent = server.processorSeconds() - before;
  say(
    `${workers.length} of ${wantedWorkers} workers joined in ${seconds(begin)}, ${((1000 * spent) / workers.length).toFixed(0)} ms of processor each with its run, ${server.residentMb().toFixed(0)} MB`,
  );
  for (const worker of workers) worker.takeBeats();
  const from = performance.now();
  const used = server.processorSeconds();
  let step = 0;
  const watchMs = given.short ? 4000 : 24_000;
  while (performance.now() - from < watchMs) {
    // each worker posts a row every 4 s
    const sent = workers
      .slice((step % 8) * Math.ceil(workers.length / 8))
      .slice(0, Math.ceil(workers.length / 8));
    const rows = sent.map((worker) => worker.send([wideRow(step, 20)]));
    step += 1;
    await Promise.all([...rows, new Promise((done) => setTimeout(done, 500))]);
  }
  const beats = workers.map((worker) => worker.takeBeats());
  const times = beats.flatMap((beat) => beat.times);
  const lost = beats.reduce((sum, beat) => sum + beat.lost, 0);
  const at = (share) => percentile(times, share).toFixed(0);
  const share = (server.processorSeconds() - used) / ((performance.now() - from) / 1000);
  say(
    `they beat and post for ${seconds(from)}: ${share.toFixed(2)} of a core; a heartbeat p50 ${at(0.5)}, p95 ${at(0.95)} ms, ${lost} without an answer`,
  );
}
