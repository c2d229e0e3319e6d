// Builds the image with buildah, in a folder of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../steps.mjs';

const shown = { stdio: ['ignore', 'inherit', 'inherit'] };
const call = (command, words, options = {}) =>
  execFileSync(command, words, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
const storage = (folder) => [
  '--storage-driver',
  'overlay',
  '--root',
  join(folder, 'store'),
  '--runroot',
  join(folder, 'run'),
];

/** What buildah answers to a command on the images of the folder. */
export const buildah = (folder, words) => call('buildah', [...storage(folder), ...words]).trim();

/** Deletes the images and containers of the folder. */
export function remove(folder) {
  for (const words of [
    ['rm', '--all'],
    ['rmi', '--all', '--force'],
  ])
    spawnSync('buildah', [...storage(folder), ...words], { stdio: 'ignore' });
}

/** Builds `espalier` from the Dockerfile as it is. */
export function buildImage(folder, dockerfile, withCuda) {
  const base = /^FROM (\S+)/m.exec(dockerfile)[1];
  const known = spawnSync('buildah', [...storage(folder), 'inspect', '--type', 'image', base], {
    stdio: 'ignore',
  });
  if (known.status !== 0) {
    const words = [...storage(folder), 'pull', '--policy', 'always', `docker.io/library/${base}`];
    if (spawnSync('buildah', words, { stdio: 'ignore', timeout: 300_000 }).status === 0)
      console.log(`image: ${base} comes from its registry`);
    else makeBase(folder, base);
  }
  const options = ['--pull-never', '--isolation', 'chroot', '--tag', 'espalier', '--format', 'docker'];
  if (withCuda) options.push('--build-arg', 'CUDA=1');
  for (const name of ['PIP_INDEX_URL', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
    if (process.env[name]) options.push('--build-arg', `${name}=${process.env[name]}`);
  call('buildah', [...storage(folder), 'bud', ...options, ...certificates(folder), root], shown);
}

/** Mounts that give the build, and not the image, the certificates that this machine trusts in addition to the usual ones. */
function certificates(folder) {
  const extra = process.env.NODE_EXTRA_CA_CERTS;
  if (!extra || !existsSync(join(folder, 'base'))) return [];
  const wrapper = join(folder, 'node');
  writeFileSync(wrapper, '#!/bin/sh\nNODE_EXTRA_CA_CERTS=/run/extra.crt exec /run/node "$@"\n');
  chmodSync(wrapper, 0o755);
  const node = join(folder, 'base/usr/local/bin/node');
  const mounts = [`${wrapper}:/usr/local/bin/node`, `${node}:/run/node`, `${extra}:/run/extra.crt`];
  return mounts.flatMap((mount) => ['--volume', `${mount}:ro`]);
}

/** An image with the name of the official one: Debian's smallest system, Node.js and npm, and the user `node`. */
function makeBase(folder, base) {
  const [, version, release] = /^node:(\d+\.\d+)-(\w+)-slim$/.exec(base);
  const place = join(folder, 'base');
  console.log(`image: no registry; ${base} is made of Debian ${release} and Node.js ${version} of npm`);
  call('debootstrap', ['--variant=minbase', release, place, 'http://deb.debian.org/debian'], {
    stdio: 'ignore',
  });
  const inside = (...words) => call('chroot', [place, ...words], shown);
  inside('apt-get', 'clean');
  rmSync(join(place, 'var/lib/apt/lists'), { recursive: true });
  for (const name of ['doc', 'man', 'locale']) rmSync(join(place, 'usr/share', name), { recursive: true });
  inside('groupadd', '--gid', '1000', 'node');
  inside('useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node');
  const packages = join(folder, 'packages');
  for (const [name, to] of [
    [`node-linux-${process.arch}@${version}`, 'usr/local'],
    ['npm@10', 'usr/local/lib/node_modules/npm'],
  ]) {
    mkdirSync(packages, { recursive: true });
    call('npm', ['pack', '--silent', name], { cwd: packages });
    mkdirSync(join(place, to), { recursive: true });
    const only = name.startsWith('npm') ? ['package'] : ['package/bin'];
    for (const file of readdirSync(packages))
      call('tar', ['xzf', join(packages, file), '--strip-components=1', '-C', join(place, to), ...only]);
    rmSync(packages, { recursive: true });
  }
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(place, 'usr/local/bin', name));
  const file = join(folder, 'Base');
  writeFileSync(file, 'FROM scratch\nCOPY base /\nCMD ["node"]\n');
  const words = ['bud', '--quiet', '--isolation', 'chroot', '--tag', `docker.io/library/${base}`];
  call('buildah', [...storage(folder), ...words, '--file', file, dirname(place)], { stdio: 'pipe' });
}
