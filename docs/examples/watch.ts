import { readFileSync } from 'node:fs';
import { createClient } from '@espalier/client';

const { ESPALIER_SERVER: url = 'http://127.0.0.1:4500', ESPALIER_KEY: key = '' } = process.env;
const client = createClient({ url, key });
const source = readFileSync(new URL('run.yaml', import.meta.url), 'utf8');
const run = await client.runs.create({ source, name: 'from TypeScript' });
console.log(`run ${run.id}`);
for await (const { metrics } of client.follow(run.id)) {
  const success = metrics.values['rollout/success_rate'] ?? [];
  metrics.steps.forEach((step, row) => {
    if (typeof success[row] === 'number') console.log(`step ${step}  success ${success[row]}`);
  });
}
console.log(`run ${(await client.runs.get(run.id)).state}`);
