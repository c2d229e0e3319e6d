// npm run test:long: builds what changed, then runs the specs that have a long form in that form (`npm run verify` runs their
// short one), and the checks with models, tokenizers and programs of others, which they fetch. Files that are named run alone.
import { join } from 'node:path';
import { build, install, root, run } from './steps.mjs';

if (install() !== 0 || build() !== 0) process.exit(1);
process.env['TEST_LONG'] = '1';
const specs = [
  'libs/engine/src/compact-base',
  'plugins/environments/code-repair/src/',
  'test/conformance/installed-plugins',
  'test/packages/',
  'test/e2e/bad-plugins',
  'test/e2e/bench-short',
  'test/e2e/chaos-',
  'test/e2e/cli-faults',
  'test/e2e/curriculum',
  'test/e2e/eval-table',
  'test/e2e/own-plugin',
  'test/e2e/sweep.spec',
  'test/e2e/takeover',
  'test/e2e/two-hosts',
  'test/e2e/up-run',
  'test/e2e/worker-',
  'test/endpoint/many-sessions',
  'test/gradient/torch-algorithms',
  'test/gradient/torch-mixtures',
  'test/gradient/torch-settings',
  'test/invariance/lora-runs',
  'test/reliability/malformed-checkpoints',
  'test/tinker/',
  'tools/fuzz/src/environments/run-environment',
];
/** All weights of a large model need 16 GB of memory and 15 GB of disk: `npm run check:large` alone. */
const checks = [
  'check-peers.mjs',
  'check-tokenizers.mjs',
  'check-smollm2.mjs',
  'check-large.mjs --only lora',
];
const given = process.argv.slice(2);
const isAll = given.every((word) => word.startsWith('-'));
const chosen = isAll ? [...specs, ...given] : given;
const failed = [];
if (run(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...chosen]) !== 0) failed.push('specs');
delete process.env['TEST_LONG'];
for (const check of isAll ? checks : []) {
  console.log(`\n── ${check}`);
  if (run(process.execPath, `tools/${check}`.split(' ')) !== 0) failed.push(check);
}
if (failed.length > 0) console.error(`test:long: failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
