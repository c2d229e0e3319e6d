/** @file What the checks against programs of others share: a Python environment, a free port, a server that answers. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { run } from './steps.mjs';

/** Makes a Python environment in a folder with the packages installed; returns its interpreter. */
export function createPython(folder, packages) {
  const place = join(folder, 'python');
  const python = join(place, 'bin/python');
  if (run('python3', ['-m', 'venv', place]) !== 0) throw new Error('python3 could not create an environment');
  if (run(python, ['-m', 'pip', 'install', '--quiet', ...packages]) !== 0)
    throw new Error(`pip could not install ${packages.join(' and ')}`);
  return python;
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
