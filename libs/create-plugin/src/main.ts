#!/usr/bin/env node
/** @file `npm create @espalier/plugin`. */
import { parseArgs } from 'node:util';
import { isAppError } from '@espalier/contracts';
import { askForPlugin } from './ask-for-plugin.js';
import { createPlugin, describeNextSteps, pluginKinds } from './create-plugin.js';

const usage = `Usage: npm create @espalier/plugin -- [kind] [id] [--out <folder>] [--kit <folder>]

  kind   ${pluginKinds.join(', ')}
  id     lower-case words joined by dashes
  --out  where (default: espalier-<kind>-<id>)
  --kit  a folder of tarballs that \`npm run pack\` made, where the kit is not in a registry`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string' }, kit: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(usage);
  if (positionals.length > 2) throw new TypeError(`Unexpected argument '${positionals[2]}'`);
  const asked = await askForPlugin({ kind: positionals[0], id: positionals[1] });
  const folder = createPlugin({ ...asked, folder: values.out, kit: values.kit });
  console.log([`${folder}: written. Next:`, ...describeNextSteps(folder, values.kit)].join('\n'));
}

try {
  await main();
} catch (error) {
  const isOwn = isAppError(error);
  console.error(isOwn ? `error ${error.code}: ${error.message}` : `${(error as Error).message}\n\n${usage}`);
  process.exitCode = isOwn && error.code !== 'cli.usage' ? 3 : 2;
}
