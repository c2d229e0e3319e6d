// Starts the services of compose.yaml from the files of the image, in a network of its own: as the user of the image, without
// capabilities, on files that it cannot write. PostgreSQL is Debian's; the S3 store is the one of the tests.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@espalier/testing';
import { parse } from 'yaml';
import { root } from '../steps.mjs';

const [place, given] = process.argv.slice(2);
const image = JSON.parse(given);
const folder = mkdtempSync(join(tmpdir(), 'espalier-image-run-'));
const secrets = { S3_ACCESS_KEY: 'S3RVER', S3_SECRET_KEY: 'S3RVER' };
const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'));
const secretOf = (name) => (secrets[name] ??= randomBytes(32).toString('hex'));
const children = [];
let problems = 0;

function check(isTrue, what) {
  console.log(`image: ${isTrue ? 'ok    ' : 'FAILED'} ${what}`);
  if (!isTrue) problems += 1;
}

/** The variables of a service, as a composition gives them. */
const environmentOf = (name) => [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ...image.Env,
  'HOME=/home/node',
  ...Object.entries(services[name].environment).map(
    ([key, value]) => `${key}=${value.replace(/\$\{(\w+)[^}]*\}/g, (_, secret) => secretOf(secret))}`,
  ),
];

/** Root prepares what a container engine would, in a mount namespace of the process, and becomes the image's user. */
const prepare = `
cd "$0"
mount --bind . . && cd "$0"
mount --bind "$1" data; mount --bind "$2" etc/hosts; mount -t tmpfs none tmp; chmod 1777 tmp
mount --rbind /dev dev; mount -t proc none proc
mount -o remount,bind,ro "$0"
p="$0"; shift 2
exec chroot "$p" setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --no-new-privs env -i "$@"
`;
function inside(name, words, options = {}) {
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  chownSync(data, 1000, 1000);
  const into = ['sh', '-c', 'cd "$0" && exec "$@"', image.WorkingDir];
  const line = ['-c', prepare, place, data, join(folder, 'hosts'), ...environmentOf(name), ...into, ...words];
  return ['unshare', ['--mount', 'sh', '-e', ...line], { stdio: ['ignore', 'pipe', 'pipe'], ...options }];
}

function start(name) {
  const child = spawn(...inside(name, [...image.Entrypoint, ...services[name].command]));
  const text = [];
  child.stdout.on('data', (chunk) => text.push(chunk));
  child.stderr.on('data', (chunk) => text.push(chunk));
  children.push(child);
  return { child, text: () => Buffer.concat(text).toString(), ended: once(child, 'exit') };
}

/** Runs a program in the container of a service, beside it; its exit code and what it printed. */
async function ask(name, words) {
  const child = spawn(...inside(name, words));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  return { code, text: text.trimEnd() };
}
// not with spawnSync: PostgreSQL and the S3 store are reached through this process
async function isHealthy(name) {
  const [, ...words] = services[name].healthcheck?.test ?? image.Healthcheck.Test;
  return (await ask(name, words)).code === 0;
}
async function becomesHealthy(name, started) {
  const begin = Date.now();
  while (!(await isHealthy(name)) && started.child.exitCode === null && Date.now() - begin < 120_000)
    await sleep(500);
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  const isReady = await isHealthy(name);
  check(isReady, `${name} is healthy after ${seconds} s`);
  if (!isReady) throw new Error(started.text().slice(-3000));
}

/** The services that are not of the image, at the names and ports by which compose.yaml leads to them. */
async function startOthers() {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost postgres s3 server\n');
  const postgres = await startPostgres();
  const { port } = new URL(postgres.url);
  execFileSync('psql', [postgres.url, '--quiet', '--command', 'CREATE DATABASE espalier']);
  const way = createServer((socket) => {
    const onward = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ])
      from.on('error', () => to.destroy()).pipe(to);
  }).listen(5432, '127.0.0.1');
  const S3 = createRequire(import.meta.url)('s3rver');
  const directory = join(folder, 's3');
  mkdirSync(directory);
  const store = new S3({
    address: '127.0.0.1',
    port: 9000,
    silent: true,
    vhostBuckets: false,
    directory,
    configureBuckets: [{ name: 'artifacts' }],
  });
  await store.run();
  return async () => {
    way.close();
    await store.close();
    await postgres.stop();
  };
}

const key = () => secretOf('ESPALIER_ADMIN_KEY');
const url = 'http://127.0.0.1:4500';
const cli = (name, ...words) => ask(name, [...image.Entrypoint.slice(2), ...words]);
const create = (...words) =>
  cli('server', 'run', 'create', 'config/runs/bandit-starpo-s.yaml', '--key', key(), ...words);

async function useThem(server, worker) {
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const [, script] = /src="([^"]+\.js)"/.exec(page) ?? [];
  const answer = script === undefined ? undefined : await fetch(new URL(script, url));
  check(answer?.status === 200, `the page is served, with ${script}`);
  const doctor = await cli('worker', 'doctor');
  check(doctor.code === 0, `doctor ends with ${doctor.code}`);
  console.log(doctor.text.replace(/^/gm, '         '));
  const trained = await create('--watch');
  check(trained.code === 0, `a run trains to its end: ${trained.text.split('\n').at(-1)}`);
  check(readdirSync(join(folder, 's3/artifacts')).length > 0, 'its checkpoints are in the bucket');
  const backup = await cli('server', 'backup', '--data', '/data', '--out', '/data/backups/monday');
  check(backup.code === 0, `backup ends with ${backup.code}: ${backup.text.split('\n').at(-1)}`);
  const stopped = await create();
  const id = /run-[a-z0-9]+-[a-z0-9]+/.exec(stopped.text)?.[0];
  const stateOf = async () =>
    (
      await (
        await fetch(`${url}/api/v1/runs/${id}`, { headers: { authorization: `Bearer ${key()}` } })
      ).json()
    ).state;
  for (let i = 0; i < 100 && (await stateOf()) !== 'running'; i += 1) await sleep(300);
  await sleep(5000);
  await stop('worker', worker);
  check((await stateOf()) === 'queued', `the run of a worker that was stopped is ${await stateOf()}`);
  await stop('server', server);
}

async function stop(name, { child, ended, text }) {
  const begin = Date.now();
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  check(code === 0, `${name} ends ${seconds} s after SIGTERM with ${code ?? signal}`);
  if (code !== 0) console.error(text().slice(-2000));
  check(!(await isHealthy(name)), `${name} is not healthy any more`);
}

const end = await startOthers();
try {
  check((await ask('server', ['id', '-un'])).text === image.User, `runs as ${image.User}`);
  check((await ask('server', ['touch', '/espalier/x'])).code !== 0, 'cannot write its own files');
  const server = start('server');
  await becomesHealthy('server', server);
  const worker = start('worker');
  await becomesHealthy('worker', worker);
  await useThem(server, worker);
} catch (error) {
  check(false, error.message);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(problems === 0 ? 0 : 1);
