/**
 * npm run check:upgrade [-- --from COMMIT] [--folder FOLDER]: servers and workers of an older commit (40 back by default) are
 * replaced by those of this one while runs train, on SQLite and, where it is installed, on PostgreSQL. Real processes; the
 * older commit is built in a folder of its own, from the packages that are installed here if it locks the same ones.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from './peer-programs.mjs';
import { build, install, root, run } from './steps.mjs';

const { values } = parseArgs({
  options: { from: { type: 'string', default: 'HEAD~40' }, folder: { type: 'string' } },
});
const steps = 40;
const weights = `checkpoints/step-${String(steps).padStart(6, '0')}/policy/model.safetensors`;
const keys = { admin: 'a'.repeat(40), worker: 'w'.repeat(40) };
const children = new Set();

/** Asks whichever server answers; undefined while none does. */
const askAt = (urls) => async (method, path, body) => {
  for (const url of urls) {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${keys.admin}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined);
    if (answer === undefined || answer.status === 503) continue;
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === '' ? {} : JSON.parse(text);
  }
  return undefined;
};

const statusOf = async (url) => (await fetch(url).catch(() => undefined))?.status;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

if (install() !== 0 || build() !== 0) process.exit(1);
const { startPostgres } = await import('@espalier/testing');
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'espalier-upgrade-'));
const commit = git('rev-parse', '--short', values.from).trim();
const here = { name: 'new', cli: join(root, 'apps/cli/dist/main.js') };
const older = { name: 'old', cli: join(buildOlder(join(folder, commit)), 'apps/cli/dist/main.js') };
const spec = writeSpec();
let failed = false;
try {
  const expected = await trainAlone(older);
  for (const database of ['sqlite', 'postgres']) await check(database, expected);
} catch (error) {
  failed = true;
  console.error(error);
} finally {
  for (const child of children) child.kill('SIGKILL');
  if (!failed && values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  else console.log(`logs are in ${folder}`);
}
process.exit(failed ? 1 : 0);

function git(...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** Builds the older commit; returns its folder. */
function buildOlder(place) {
  if (existsSync(join(place, 'apps/cli/dist/main.js'))) return place;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const tar = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', place], { input: tar });
  const lock = (at) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (lock(place) === lock(root)) linkPackages(place);
  else if (run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: place }) !== 0)
    throw new Error(`npm ci failed in ${place}`);
  const tsc = join(place, 'node_modules/typescript-7/bin/tsc');
  if (run(process.execPath, [tsc, '-b'], { cwd: place }) !== 0)
    throw new Error(`${commit} cannot be built in ${place}`);
  return place;
}

/** Its own packages of the workspace; everything else is that of this clone. */
function linkPackages(place) {
  const modules = join(place, 'node_modules');
  mkdirSync(join(modules, '@espalier'), { recursive: true });
  for (const own of listPackages(place)) {
    const { name } = JSON.parse(readFileSync(join(place, own, 'package.json'), 'utf8'));
    symlinkSync(join(place, own), join(modules, name));
    const nested = join(root, own, 'node_modules');
    if (existsSync(nested)) symlinkSync(nested, join(place, own, 'node_modules'));
  }
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@espalier' && !existsSync(join(modules, name)))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

/** The folders of the packages of a workspace. */
function listPackages(place) {
  const plugins = readdirSync(join(place, 'plugins')).map((kind) => `plugins/${kind}`);
  return ['apps', 'libs', 'tools', ...plugins]
    .flatMap((parent) => readdirSync(join(place, parent)).map((name) => `${parent}/${name}`))
    .filter((own) => existsSync(join(place, own, 'package.json')));
}

function writeSpec() {
  const file = join(folder, 'run.yaml');
  const small = 'rollout: { promptsPerStep: 2, groupSize: 4 }\nvalidation: { every: 20, episodes: 8 }';
  writeFileSync(
    file,
    `environment: { use: bandit }\nalgorithm: { use: ppo }\nsteps: ${steps}\n${small}\ncheckpoint: { every: 5 }\ndevice: { threads: 1 }\n`,
  );
  return file;
}

/** Trains without a server; returns the hash of the last weights. */
async function trainAlone({ cli }) {
  const out = join(folder, 'alone');
  rmSync(out, { recursive: true, force: true });
  if (run(process.execPath, [cli, 'train', spec, '--out', out], { stdio: 'ignore' }) !== 0)
    throw new Error('the run without a server failed');
  return createHash('sha256')
    .update(readFileSync(join(out, weights)))
    .digest('hex');
}

/** A process with a log of its own. */
function start(words, log, environment) {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => writeFileSync(join(folder, log), (said += chunk)));
  return child;
}

async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  return ended;
}

async function check(database, expected) {
  const postgres = database === 'sqlite' ? undefined : await startPostgres().catch(() => undefined);
  if (database === 'postgres' && postgres === undefined)
    return void console.log('postgres: skipped, PostgreSQL is not installed');
  const place = join(folder, database);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const ports = [await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const serve = ({ name, cli }, at) => {
    const data = postgres === undefined ? join(place, 'server') : join(place, `server-${at}`);
    return start(
      [cli, 'serve', '--port', String(ports[at]), '--data', data, '--json'],
      `${database}/server-${name}.log`,
      {
        ESPALIER__SERVER__ACCESS__ADMINKEY: keys.admin,
        ESPALIER__SERVER__ACCESS__WORKERKEY: keys.worker,
        ESPALIER__SERVER__LOGLEVEL: 'warn',
        ...(postgres && {
          ESPALIER__SERVER__DATABASE__KIND: 'postgres',
          ESPALIER__SERVER__DATABASE__URL: postgres.url,
          ESPALIER__SERVER__ARTIFACTS__STORE: JSON.stringify({
            driver: 'directory',
            folder: join(place, 'artifacts'),
          }),
        }),
      },
    );
  };
  const work = ({ name, cli }) =>
    start(
      [cli, 'worker', '--name', 'w', '--data', join(place, 'worker'), '--on-stop', 'leave'],
      `${database}/worker-${name}.log`,
      {
        ESPALIER__WORKER__SERVER: JSON.stringify(urls),
        ESPALIER__WORKER__KEY: keys.worker,
      },
    );
  const ask = askAt(urls);
  const tell = (text) => console.log(`${database}: ${text}`);

  const first = serve(older, 0);
  const worker = work(older);
  await until('the older server', 120, async () => (await ask('GET', '/runs?first=1')) !== undefined);
  const note = 'written before the upgrade';
  const { id } = await ask('POST', '/runs', { source: readFileSync(spec, 'utf8'), name: 'before' });
  await ask('PATCH', `/runs/${id}`, { note });
  const stepOf = async (run) => (await ask('GET', `/runs/${run}`))?.step ?? 0;
  await until('the first step', 120, async () => (await stepOf(id)) >= 3);

  // with PostgreSQL the newer one stands by; with SQLite the older one has to let go first
  let second = postgres === undefined ? undefined : serve(here, 1);
  if (second !== undefined)
    await until('the standby', 120, async () => (await statusOf(`${urls[1]}/health/ready`)) === 503);
  const before = await stepOf(id);
  const begin = performance.now();
  const code = await stop(first);
  second ??= serve(here, 0);
  await until('the newer server', 120, async () => (await ask('GET', '/runs?first=1')) !== undefined);
  const away = performance.now() - begin;
  await until('a step of the older worker on the newer server', 60, async () => (await stepOf(id)) > before);
  tell(
    `the older server ended with ${code}; the newer one answered after ${seconds(away)}, at step ${await stepOf(id)}`,
  );

  await stop(worker);
  const renewed = work(here);
  const at = await stepOf(id);
  await until('a step under the newer worker', 60, async () => (await stepOf(id)) > at);
  tell(`the worker was replaced at step ${at} of ${steps}, its training went on`);
  await until('the end of the run', 300, async () => (await ask('GET', `/runs/${id}`))?.state === 'finished');
  await verify(ask, id, expected);
  if ((await ask('GET', `/runs/${id}`)).note !== note) throw new Error('the note of the run is lost');
  tell('the run equals one without a server, bit for bit; each step is there once, in one attempt');

  // a worker that nobody has upgraded yet, and what its server is asked for next
  await stop(renewed);
  const late = work(older);
  const { id: next } = await ask('POST', '/runs', { source: readFileSync(spec, 'utf8'), name: 'after' });
  await until(
    'the run of an older worker',
    300,
    async () => (await ask('GET', `/runs/${next}`))?.state === 'finished',
  );
  await verify(ask, next, expected);
  tell('an older worker finishes a run of the newer server');
  await stop(late);

  await stop(second);
  await postgres?.stop();
}

/** What must hold for a run that was never disturbed. */
async function verify(ask, id, expected) {
  const { items } = await ask('GET', `/runs/${id}/artifacts?path=${weights}`);
  const { sha256 } = items.find(({ path }) => path === weights) ?? {};
  if (sha256 !== expected) throw new Error(`run ${id}: weights ${sha256}, expected ${expected}`);
  const { items: series } = await ask('GET', `/runs/${id}/metrics?name=rollout/success_rate&points=1000`);
  const rows = series[0]?.steps;
  const wanted = Array.from({ length: steps }, (_, index) => index + 1);
  if (JSON.stringify(rows) !== JSON.stringify(wanted)) throw new Error(`run ${id}: steps ${String(rows)}`);
  const jobs = await ask('GET', `/jobs?runId=${id}`);
  const { attempts } = await ask('GET', `/jobs/${jobs.items[0].id}`);
  if (attempts.length !== 1) throw new Error(`run ${id}: ${attempts.length} attempts`);
}

async function until(what, limit, isSo) {
  for (const end = performance.now() + limit * 1000; performance.now() < end;) {
    if (await isSo()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${what} did not come within ${limit} s`);
}
