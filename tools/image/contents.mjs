// What lies in the image: its size, and nothing that only a build needs or that is secret.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildah } from './build.mjs';

/** The settings of the image and what is wrong with it; prints its size. */
export function describeImage(folder, place, withCuda) {
  const { Docker: image } = JSON.parse(buildah(folder, ['inspect', '--type', 'image', 'espalier']));
  const { config, history, rootfs } = image;
  console.log(`image: ${rootfs.diff_ids.length} layers`);
  for (const name of ['', 'usr', 'cache', 'espalier', 'espalier/node_modules'])
    console.log(`image: ${String(megabytesOf(join(place, name))).padStart(6)} MB /${name}`);
  for (const [name, size] of largestOf(join(place, 'espalier/node_modules')).slice(0, 8))
    console.log(`image: ${String(size).padStart(6)} MB /espalier/node_modules/${name}`);
  const problems = [...filesOfBuild(place), ...secretsIn(place, [...config.Env, ...history.map(textOf)])];
  if (config.User !== 'node') problems.push(`runs as ${config.User}`);
  const cache = join(place, 'cache');
  if (readdirSync(cache).length > 0 !== withCuda) problems.push(`/cache ${withCuda ? 'is' : 'is not'} empty`);
  return { settings: config, problems };
}

const textOf = ({ created_by: text }) => text ?? '';

const megabytesOf = (path) =>
  Math.round(Number(execFileSync('du', ['-sxk', path], { encoding: 'utf8' }).split('\t')[0]) / 1024);

const largestOf = (folder) =>
  readdirSync(folder)
    .map((name) => [name, megabytesOf(join(folder, name))])
    .sort(([, a], [, b]) => b - a);

/** Packages that the lock file marks as for development, caches, and what .dockerignore leaves out. */
function filesOfBuild(place) {
  const inside = join(place, 'espalier');
  const { packages } = JSON.parse(readFileSync(join(inside, 'package-lock.json'), 'utf8'));
  const extra = Object.entries(packages)
    .filter(([path, { dev }]) => dev === true && existsSync(join(inside, path)))
    .map(([path]) => `${path} is for development only`);
  const unwanted = ['.git', '.env', '.cache', 'test', 'docs', 'runs', 'data', 'worker', 'models'];
  const left = unwanted
    .filter((name) => existsSync(join(inside, name)))
    .map((name) => `/espalier/${name} is there`);
  const caches = [
    'root/.npm',
    'root/.cache',
    'home/node/.npm',
    'home/node/.cache',
    'var/lib/apt/lists',
  ].filter((name) => existsSync(join(place, name)) && readdirSync(join(place, name)).length > 0);
  return [...extra, ...left, ...caches.map((name) => `cache /${name} is there`)];
}

function secretsIn(place, texts) {
  const found = texts.filter((text) => /(?:_authToken|password|secret|:\/\/[^/\s:]+:[^@\s/]+@)/i.test(text));
  const files = execFileSync('find', [place, '-xdev', '-name', '*.key', '-o', '-xdev', '-name', '.npmrc'], {
    encoding: 'utf8',
  });
  for (const path of files.split('\n').filter((one) => one !== '' && lstatSync(one).isFile()))
    if (path.endsWith('.key') || /_auth|password/i.test(readFileSync(path, 'utf8'))) found.push(path);
  return found.map((text) => `a secret: ${text}`);
}
