// The same with plain graphql-ws: a mutation over HTTP, then two subscriptions on one socket.
import { readFileSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const { ESPALIER_SERVER: url = 'http://127.0.0.1:4500', ESPALIER_KEY: key = '' } = process.env;
const source = readFileSync(new URL('run.yaml', import.meta.url), 'utf8');
const query = `mutation ($input: CreateRunInput!) {
  createRun(input: $input) { __typename ... on Run { id } ... on Refusal { code message } }
}`;
const response = await fetch(`${url}/graphql`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { input: { source, name: 'from graphql-ws' } } }),
});
const { data: answer, errors, message } = await response.json();
if (!answer) throw new Error(errors?.[0]?.message ?? message);
const { createRun: run } = answer;
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
    runMetrics(runId: $id, after: 0, names: ["rollout/success_rate"]) { cursor steps series { values } }
  }`,
  variables: { id: run.id },
});
const changes = socket.iterate({
  query: 'subscription ($id: ID!) { runChanged(runId: $id) { state } }',
  variables: { id: run.id },
});
const atRest = ['finished', 'failed', 'cancelled', 'paused', 'quarantined'];
const printing = (async () => {
  for await (const { data } of metrics) {
    const { steps, series } = data.runMetrics;
    steps.forEach((step, row) => {
      const success = series[0]?.values[row];
      if (typeof success === 'number') console.log(`step ${step}  success ${success}`);
    });
  }
})();
for await (const { data } of changes) {
  if (!atRest.includes(data.runChanged.state)) continue;
  await new Promise((resolve) => setTimeout(resolve, 500)); // the last metrics are on their way
  await metrics.return();
  await printing;
  console.log(`run ${data.runChanged.state}`);
  break;
}
await socket.dispose();
