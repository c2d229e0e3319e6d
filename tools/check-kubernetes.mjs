/**
 * npm run check:kubernetes [-- FILES]: the Kubernetes launcher against a real control plane on this machine. Go builds the API
 * server, the controllers and the scheduler from the official modules (tools/kubernetes) into `.cache`: the first time ten minutes
 * on two cores, and 4 GB of Go's caches. Needs Go, and Debian's etcd-server, openssl and bubblewrap.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root, run } from './steps.mjs';

const specs = ['test/server/kubernetes', 'test/e2e/kubernetes'];
const packages = {
  go: 'Go 1.26 or newer (https://go.dev/dl)',
  etcd: 'etcd-server',
  openssl: 'openssl',
  bwrap: 'bubblewrap',
};

const given = process.argv.slice(2);
const chosen = given.some((word) => !word.startsWith('-')) ? given : [...specs, ...given];

const missing = Object.keys(packages).filter((name) => spawnSync(name, ['--version']).error !== undefined);
if (missing.length > 0) {
  const names = missing.map((name) => `${name} (${packages[name]})`);
  console.error(`check:kubernetes: not found: ${names.join(', ')}`);
  process.exit(1);
}
if (install() !== 0 || build() !== 0) process.exit(1);
const program = buildKubernetes();
// all that the check starts has this folder in its environment or its words, so that none of it outlives the check
const folder = mkdtempSync(join(tmpdir(), 'espalier-check-kubernetes-'));
const vitest = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', ...chosen],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: folder, ESPALIER_KUBERNETES: program },
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    vitest.kill('SIGKILL');
    clear();
    console.log('check:kubernetes: stopped');
    process.exit(130);
  });
vitest.once('exit', (code) => {
  clear();
  console.log(`check:kubernetes: ${code === 0 ? 'passed' : 'failed'}`);
  process.exit(code ?? 1);
});

/** Go compiles what changed: seconds when nothing did. */
function buildKubernetes() {
  const source = join(root, 'tools', 'kubernetes');
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(source, 'go.mod'), 'utf8'))[1];
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version);
  const names = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(names).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  const target = join(root, '.cache', 'kubernetes', 'kubernetes');
  mkdirSync(join(root, '.cache', 'kubernetes'), { recursive: true });
  console.log(`building Kubernetes ${version}; the first time this takes ten minutes or more`);
  const words = ['build', '-trimpath', '-ldflags', ['-s -w', ...stamps].join(' '), '-o', target, '.'];
  if (run('go', words, { cwd: source, env: { ...process.env, GOFLAGS: '' } }) !== 0) {
    console.error('check:kubernetes: Go could not build the control plane');
    process.exit(1);
  }
  return target;
}

/** Ends what the check has started, and removes its files. */
function clear() {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const texts = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      if (texts.some((text) => text.includes(folder))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // it has ended
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
