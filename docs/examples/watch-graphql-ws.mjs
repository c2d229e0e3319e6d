// The same with plain graphql-ws: a mutation over HTTP, two subscriptions on one socket, and a query at the end.
import { readFileSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const { ESPALIER_SERVER: url = 'http://127.0.0.1:4500', ESPALIER_KEY: key = '' } = process.env;
const source = readFileSync(new URL('run.yaml', import.meta.url), 'utf8');
async function ask(query, variables) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors, message } = await response.json();
  if (!data) throw new Error(errors?.[0]?.message ?? message);
  return data;
}
const { createRun: run } = await ask(
  `mutation ($input: CreateRunInput!) {
    createRun(input: $input) { __typename ... on Run { id } ... on Refusal { code message } }
  }`,
  { input: { source, name: 'from graphql-ws' } },
);
if (run.__typename !== 'Run') throw new Error(run.message);
console.log(`run ${run.id}`);

const socket = createClient({
  url: `${url.replace(/^http/, 'ws')}/graphql`,
  connectionParams: { key },
  webSocketImpl: WebSocket,
});
// After a broken connection: subscribe again with `after` = the cursor of the last batch.
const metrics = socket.iterate({
  query: `subscription ($id: ID!) {
    runMetrics(runs: { runId: $id, after: 0 }, names: ["rollout/success_rate"]) { cursor steps series { values } }
  }`,
  variables: { id: run.id },
});
const changes = socket.iterate({
  query: 'subscription ($id: ID!) { runChanged(runId: $id) { state } }',
  variables: { id: run.id },
});
const stopped = ['FINISHED', 'FAILED', 'CANCELLED', 'PAUSED'];
let last = 0;
const print = (steps, values = []) =>
  steps.forEach((step, row) => {
    if (step <= last || typeof values[row] !== 'number') return;
    last = step;
    console.log(`step ${step}  success ${values[row]}`);
  });
const printing = (async () => {
  for await (const { data } of metrics) print(data.runMetrics.steps, data.runMetrics.series[0]?.values);
})();
for await (const { data } of changes) {
  if (!stopped.includes(data.runChanged.state)) continue;
  await metrics.return();
  await printing;
  // The last rows may have been on their way; history has them already.
  const { metricHistory } = await ask(
    `query ($ids: [ID!]!, $from: Int) {
      metricHistory(runIds: $ids, names: ["rollout/success_rate"], fromStep: $from) { steps values }
    }`,
    { ids: [run.id], from: last + 1 },
  );
  for (const series of metricHistory) if (series) print(series.steps, series.values);
  console.log(`run ${data.runChanged.state.toLowerCase()}`);
  break;
}
await socket.dispose();
