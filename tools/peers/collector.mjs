/**
 * node tools/peers/collector.mjs COLLECTOR: trains a short run that reports to a real OpenTelemetry collector, and compares
 * what the collector passes on, gauge by gauge and span by span, with the files of the run. COLLECTOR is one with the receiver
 * `otlp` and the exporter `otlphttp`, as every distribution has. check-peers.mjs builds one and runs this.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peer-programs.mjs';
import { root } from '../steps.mjs';

const training = `
environment: { use: frozen-lake }
algorithm: { use: grpo }
steps: 3
rollout: { promptsPerStep: 2, groupSize: 4, maxTurns: 3, maxResponseTokens: 24 }
validation: { every: 2, episodes: 8 }
`;

const folder = mkdtempSync(join(tmpdir(), 'espalier-collector-'));
const failures = [];
/** What the collector sends on, by signal. */
const passedOn = { metrics: [], traces: [] };
const receiver = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  passedOn[request.url.split('/').at(-1)].push(JSON.parse(Buffer.concat(parts).toString('utf8')));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
let collector;
try {
  const program = process.argv[2];
  await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${await freePort()}`;
  const file = join(folder, 'collector.yaml');
  writeFileSync(file, describeCollector(url, `http://127.0.0.1:${receiver.address().port}`));
  collector = spawn(program, ['--config', file], { stdio: 'inherit' });
  await untilItTakes(`${url}/v1/metrics`);
  writeFileSync(join(folder, 'check.yaml'), training);
  const out = join(folder, 'runs/check-1');
  const train = [
    'tools/cli.mjs',
    'train',
    join(folder, 'check.yaml'),
    '--out',
    out,
    '--report-to',
    `otlp:${url}`,
  ];
  // this process receives meanwhile
  const [code] = await once(spawn(process.execPath, train, { cwd: root, stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error('the run failed');
  compareGauges(out);
  await compareSpans(out);
} finally {
  collector?.kill('SIGKILL');
  receiver.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
for (const failure of failures.slice(0, 20)) console.error(failure);
console.log(
  failures.length === 0 ? 'the collector passed on what the run wrote' : `${failures.length} differences`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

/** What is taken is sent on before it is acknowledged: without a queue, nothing is still on its way when the run ends. */
function describeCollector(url, endpoint) {
  const pipeline = { receivers: ['otlp'], exporters: ['otlphttp'] };
  return JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: new URL(url).host } } } },
    exporters: {
      otlphttp: { endpoint, encoding: 'json', compression: 'none', sending_queue: { enabled: false } },
    },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
      pipelines: { metrics: pipeline, traces: pipeline },
    },
  });
}

async function untilItTakes(url) {
  const empty = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  for (let tries = 0; tries < 60; tries += 1) {
    const isUp = await fetch(url, empty).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((done) => setTimeout(done, 500));
  }
  throw new Error(`${url} did not answer in 30 seconds`);
}

function readLines(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Each value of the file of metrics, by name and time; a value that is no number has a point without one. */
function compareGauges(out) {
  const found = new Map();
  for (const { resourceMetrics = [] } of passedOn.metrics)
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics)
        for (const { name, gauge } of metrics)
          for (const { timeUnixNano, asDouble } of gauge.dataPoints)
            found.set(`${name} at ${BigInt(timeUnixNano) / 1_000_000n}`, asDouble ?? null);
  const expected = new Map();
  for (const { step, time, values } of readLines(join(out, 'metrics.jsonl')))
    for (const [name, value] of Object.entries({ step, ...values }))
      expected.set(`espalier/${name} at ${Math.floor(time)}`, value);
  for (const [name, value] of expected)
    if (!found.has(name) || found.get(name) !== value)
      failures.push(`gauge ${name} is ${found.get(name)}, not ${value}`);
  for (const name of found.keys()) if (!expected.has(name)) failures.push(`gauge ${name} is not of the run`);
  console.log(`${expected.size} gauges compared`);
}

/** Each rollout is one tree: the episode, its turns, and in each turn sampling and environment. */
async function compareSpans(out) {
  const { readTrajectories } = await import('@espalier/recorder');
  const spans = passedOn.traces
    .flatMap(({ resourceSpans = [] }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope) => scope.spans);
  const attribute = ({ attributes = [] }, key) =>
    Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];
  const childrenOf = ({ spanId, traceId }) =>
    spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);
  const roots = new Map();
  for (const span of spans)
    if ((span.parentSpanId ?? '') === '') roots.set(attribute(span, 'espalier.trajectory'), span);
  const milliseconds = ({ startTimeUnixNano: start, endTimeUnixNano: end }) =>
    Number(BigInt(end) - BigInt(start)) / 1e6;
  const steps = Array.from({ length: 4 }, (_, step) => step);
  const trajectories = steps.flatMap((step) => readTrajectories(join(out, 'trajectories'), { step }));
  let expected = 0;
  for (const { id, turns, score, timings } of trajectories) {
    expected += 1 + 3 * turns.length;
    const tree = roots.get(id);
    if (tree === undefined) {
      failures.push(`rollout ${id} has no span`);
      continue;
    }
    const told = [Number(attribute(tree, 'espalier.reward')), Math.round(milliseconds(tree))];
    const wanted = [score.total, Math.round(timings.totalMs)];
    if (told.join() !== wanted.join()) failures.push(`rollout ${id} says ${told}, not ${wanted}`);
    const sampled = childrenOf(tree).map((turn) => Number(attribute(turn, 'gen_ai.usage.output_tokens')));
    const tokens = turns.map((turn) => turn.sampled.end - turn.sampled.start);
    if (sampled.join() !== tokens.join())
      failures.push(`turns of ${id} have ${sampled} tokens, not ${tokens}`);
    for (const turn of childrenOf(tree)) {
      const names = childrenOf(turn).map(({ name }) => name);
      if (names.join() !== 'sample,environment') failures.push(`a turn of ${id} has the spans ${names}`);
    }
  }
  if (spans.length !== expected) failures.push(`${spans.length} spans, not ${expected}`);
  console.log(`${trajectories.length} trees of ${spans.length} spans compared`);
}
