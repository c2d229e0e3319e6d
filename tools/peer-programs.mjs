/**
 * @file What the checks against programs of others share: preparing them in a folder that is kept, a free port, a server that
 * answers.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { root, run } from './steps.mjs';

/** Remade when what it is made of changes; git ignores it. */
const kept = join(root, '.cache/peers');

const placeOf = (name, parts) =>
  join(kept, `${name}-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)}`);

/** Whether it lies there from an earlier time. */
export const isPrepared = (name, parts) => existsSync(join(placeOf(name, parts), '.complete'));

/** What is prepared once and kept under the hash of its parts. */
function keep(name, parts, make) {
  const place = placeOf(name, parts);
  if (isPrepared(name, parts)) return place;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  try {
    make(place);
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(join(place, '.complete'), '');
  return place;
}

/** Where Python 3.12 or newer is: the variable PYTHON, or a usual name. */
export function findPython() {
  const names = [process.env.PYTHON, 'python3.12', 'python3.13', 'python3'].filter((name) => name);
  const asks = ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 12))'];
  return names.find((name) => spawnSync(name, asks).status === 0);
}

/** A Python environment with these packages; returns its interpreter. */
export function preparePython(python, name, packages) {
  const place = keep(name, packages, (folder) => {
    if (run(python, ['-m', 'venv', folder]) !== 0) throw new Error(`${python} could not make an environment`);
    if (run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...packages]) !== 0)
      throw new Error(`pip could not install ${packages.join(' and ')}`);
  });
  return join(place, 'bin/python');
}

/** A collector of OpenTelemetry, by its own builder from the official modules; returns the program. */
export function prepareCollector(version) {
  const manifest = `
dist: { name: collector, output_path: ./collector }
receivers: [{ gomod: go.opentelemetry.io/collector/receiver/otlpreceiver ${version} }]
exporters: [{ gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter ${version} }]
`;
  const place = keep('collector', manifest, (folder) => {
    writeFileSync(join(folder, 'builder.yaml'), manifest);
    const words = ['run', `go.opentelemetry.io/collector/cmd/builder@${version}`, '--config', 'builder.yaml'];
    if (run('go', words, { cwd: folder, env: { ...process.env, GOFLAGS: '' } }) !== 0)
      throw new Error('Go could not build the collector');
  });
  return join(place, 'collector/collector');
}

export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Waits, up to two minutes, until an address answers with 2xx. */
export async function waitForAnswer(url) {
  for (let tries = 0; tries < 120; tries += 1) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((done) => setTimeout(done, 1000));
  }
  throw new Error(`${url} did not answer in two minutes`);
}
