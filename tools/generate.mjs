/**
 * Writes the files that are generated from the code: JSON Schemas of runs, warm starts and sweeps, the GraphQL
 * schema and the OpenAPI description of the server, its settings file, the reference pages (errors, metrics, options,
 * plugins, REST operations, settings) and the typed operations of the client.
 * With `--check` nothing is written; the exit code says whether a file is stale. Needs a build.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateRunSpecSchema, generateWarmStartSchema } from '@espalier/config';
import { generateSweepSchema } from '@espalier/config/sweep';
import { discoverPlugins } from '@espalier/plugin-host';
import { serverOptions } from '@espalier/server';
import { workerOptions } from '@espalier/worker';
import { format } from 'oxfmt';
import { z } from 'zod';
import { describeErrors } from './describe-errors.mjs';
import { describeMetrics, listMetrics } from './describe-metrics.mjs';
import { describeOptions } from './describe-options.mjs';
import { describeRest } from './describe-rest.mjs';
import { describeSettings, renderSettings } from './describe-settings.mjs';
import { generateOperations, describeServer } from './generate-client.mjs';
import { page, row } from './markdown.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const isCheck = process.argv.includes('--check');
const registry = await discoverPlugins({ root, configFile: resolve(root, 'config/plugins.yaml') });
// pages without a plugin that ships would look right
for (const { error } of registry.broken()) throw error;

function describePlugins() {
  const plugins = [...registry.list()].sort((a, b) => (`${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1));
  const parts = plugins.map((plugin) => {
    const { properties = {} } = z.toJSONSchema(plugin.params, { io: 'input', unrepresentable: 'any' });
    const options = Object.entries(properties).map(([name, option]) =>
      row(
        `\`${name}\``,
        option.default === undefined ? '' : `\`${JSON.stringify(option.default)}\``,
        option.description,
      ),
    );
    const table =
      options.length === 0
        ? 'No options.'
        : [row('option', 'default', 'meaning'), row('---', '---', '---'), ...options].join('\n');
    const presets = Object.entries(plugin.presets ?? {}).map(([name, { options: set, limits }]) =>
      row(`\`preset: ${name}\``, ...[set, limits].map(describeValues)),
    );
    const presetTable =
      presets.length === 0
        ? []
        : [[row('preset', 'options', 'limits of a run'), row('---', '---', '---'), ...presets].join('\n')];
    const source = plugin.source === undefined ? [] : [`Source: ${plugin.source}`];
    return [`## ${plugin.kind} \`${plugin.id}\``, plugin.summary, ...source, table, ...presetTable].join(
      '\n\n',
    );
  });
  const preface =
    'What can stand behind `use:` in a run configuration. "The reference" is the published code of RAGEN (Wang et al. 2025, arXiv:2504.20073), RAGEN-2 its second version.';
  const beside =
    'ECHO and SDPO are no plugins: they work beside any algorithm, by [`update.observationLoss`](options.md#updateobservationloss) and [`update.selfDistillation`](options.md#updateselfdistillation).';
  return [preface, beside, ...parts];
}

function describeValues(values = {}) {
  return Object.entries(values)
    .map(([name, value]) => `\`${name}: ${JSON.stringify(value)}\``)
    .join(', ');
}

const { schema, enumValues, openApi } = await describeServer();
const files = {
  'apps/server/schema.gql': schema,
  'apps/server/src/core/history/metrics/generated/metric-catalogue.ts': listMetrics(registry),
  'config/server.yaml': renderSettings(serverOptions, {
    program: 'server',
    example: '#port: 4500',
    variable: 'access.adminKey is ESPALIER__SERVER__ACCESS__ADMINKEY',
  }),
  'config/worker.yaml': renderSettings(workerOptions, {
    program: 'worker',
    example: '#logMb: 256',
    variable: 'timing.graceMs is ESPALIER__WORKER__TIMING__GRACEMS',
    ofMachine: ['name'],
  }),
  'config/schema/run-spec.schema.json': JSON.stringify(generateRunSpecSchema(registry)),
  'config/schema/sweep.schema.json': JSON.stringify(generateSweepSchema()),
  'config/schema/warm-start.schema.json': JSON.stringify(generateWarmStartSchema(registry)),
  'docs/reference/errors.md': page('Errors', describeErrors()),
  'docs/reference/metrics.md': page('Metrics', describeMetrics(registry)),
  'docs/reference/openapi.json': openApi,
  'docs/reference/options.md': page('Options', describeOptions()),
  'docs/reference/rest.md': page('REST', describeRest(openApi)),
  'docs/reference/settings.md': page('Settings of the server', [
    'All of them, with defaults. How they are given, and the server itself: [the server](../use/server.md).',
    ...describeSettings(serverOptions),
  ]),
  'docs/reference/plugins.md': page('Plugins', describePlugins()),
  'libs/client/src/generated/operations.ts': await generateOperations(
    schema,
    enumValues,
    resolve(root, 'libs/client/src/operations'),
  ),
};

const style = JSON.parse(readFileSync(resolve(root, '.oxfmtrc.json'), 'utf8'));
const stale = [];
for (const [name, content] of Object.entries(files)) {
  const path = resolve(root, name);
  const { code: text } = await format(name, content, style);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  stale.push(name);
  if (isCheck) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${name}`);
}
if (isCheck && stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run npm run generate and commit the result`);
  process.exitCode = 1;
}
