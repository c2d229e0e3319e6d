// npm run check:slurm: 20 jobs of a real Slurm cluster on this machine that train runs, a node drained and a job cancelled in
// between, and the launcher's conformance suite. Needs Debian's slurm-wlm and munge; openssh-server for the SSH launcher.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root, run } from './steps.mjs';

const missing = ['slurmctld', 'slurmd', 'munged'].filter((name) => !existsSync(join('/usr/sbin', name)));
if (missing.length > 0) {
  console.error(
    `check:slurm: ${missing.join(', ')} not found; install slurm-wlm and munge (apt-get install slurm-wlm munge)`,
  );
  process.exit(1);
}
if (install() !== 0 || build() !== 0) process.exit(1);
process.env['TEST_LONG'] = '1';
const specs = ['test/server/launchers', 'test/e2e/slurm'];
process.exit(run(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...specs, ...process.argv.slice(2)]));
