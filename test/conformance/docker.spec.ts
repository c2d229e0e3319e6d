/**
 * @file The image and the composition. Nothing is built here: both files are checked, and what they run is run as written,
 * with the places of the containers put in place of theirs, on a real PostgreSQL and a real S3 server.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@espalier/client';
import { freePort, removeFolder, startPostgres, waitFor } from '@espalier/testing';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { startS3 } from '../support/s3.js';
import { describeWith } from '../support/service.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly restart?: string;
  readonly stop_grace_period?: string;
}

const { services, volumes } = parse(read('compose.yaml')) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const service = (name: string): Service => services[name] as Service;
const dockerfile = DockerfileParser.parse(read('Dockerfile'));
const allArgumentsOf = (keyword: string): string[] =>
  dockerfile
    .getInstructions()
    .filter((one) => one.getKeyword() === keyword)
    .map((one) => one.getArgumentsContent() ?? '');
/** The arguments of the last instruction of a kind. */
const argumentsOf = (keyword: string): string => allArgumentsOf(keyword).at(-1) ?? '';
const listIn = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

describe('the image', () => {
  it('is built from a file without findings', () => {
    expect(validate(read('Dockerfile'))).toEqual([]);
  });

  it('runs as a user without rights, says whether it is healthy, and holds no secret', () => {
    expect(argumentsOf('USER')).toBe('node');
    expect(argumentsOf('HEALTHCHECK')).toContain('CMD');
    expect(read('Dockerfile')).not.toMatch(/(?:key|secret|password|token)\s*=/i);
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.git', 'data', '*.key']));
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  it('keeps models of a hub on its volume', () => {
    expect(argumentsOf('VOLUME')).toBe('/data');
    expect(argumentsOf('ENV')).toContain('HF_HOME=/data/');
    expect(service('worker').volumes).toContain('worker:/data');
  });
});

describe('the CUDA files of the image', () => {
  const defaults = Object.fromEntries(allArgumentsOf('ARG').map((one) => one.split('=') as [string, string]));

  /** Runs the step of the build with a stand-in for the program; what it was asked, if it was. */
  function build(given: Readonly<Record<string, string>>): { files: string[]; asked: string } {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-image-'));
    const cache = join(folder, 'cache');
    const program = join(folder, 'apps/cli/dist/main.js');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(
      program,
      `const { ESPALIER_CACHE: cache, PIP_INDEX_URL: index } = process.env;
      require('node:fs').writeFileSync(cache + '/asked', [...process.argv.slice(2), index].join(' '));`,
    );
    const step = allArgumentsOf('RUN').find((one) => one.includes('CUDA')) ?? '';
    const env = { PATH: process.env['PATH'], ...defaults, ...given };
    execFileSync('sh', ['-c', step.replaceAll('/cache', cache)], { cwd: folder, env });
    const files = readdirSync(cache);
    const asked = files.length === 0 ? '' : readFileSync(join(cache, 'asked'), 'utf8');
    removeFolder(folder);
    return { files, asked };
  }

  it('are fetched where the build is told so, from the index that it names', () => {
    expect(build({})).toEqual({ files: [], asked: '' });
    expect(build({ CUDA: '1' }).asked).toBe('setup cuda https://pypi.org/simple');
    expect(build({ CUDA: '1', PIP_INDEX_URL: 'https://mirror.example/simple' }).asked).toBe(
      'setup cuda https://mirror.example/simple',
    );
  });

  it('lie where the program looks for them, are its user’s, and no volume hides them', () => {
    expect(read('Dockerfile')).toContain('\nCOPY --from=build --chown=node:node /cache /cache\n');
    expect(argumentsOf('ENV')).toMatch(/ESPALIER_CACHE=\/cache(\s|$)/);
    expect('/cache'.startsWith(argumentsOf('VOLUME'))).toBe(false);
  });
});

describe('the composition', () => {
  it('names every volume, and every service that stays can be asked for its health', () => {
    const used = Object.values(services).flatMap((one) =>
      (one.volumes ?? []).map((path) => path.split(':')[0]),
    );
    expect([...used].sort()).toEqual(Object.keys(volumes).sort());
    const staying = Object.entries(services).filter(([, { restart }]) => restart === 'unless-stopped');
    expect(staying.map(([name]) => name)).toEqual(['postgres', 's3', 'server', 'worker']);
    // the server has the health check of the image
    for (const [name, { healthcheck }] of staying)
      expect([name, healthcheck === undefined]).toEqual([name, name === 'server']);
    for (const { depends_on } of Object.values(services))
      for (const [name, { condition }] of Object.entries(depends_on ?? {}))
        expect([name, condition]).toEqual([
          name,
          name === 'bucket' ? 'service_completed_successfully' : 'service_healthy',
        ]);
  });

  it('takes every secret from .env, whose example lists them all and holds none', () => {
    const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)([^}]*)\}/g)];
    for (const [whole, , rest] of asked) expect([whole, rest]).toEqual([whole, ':?set it in .env']);
    const example = read('.env.example')
      .split('\n')
      .filter((line) => /^\w/.test(line));
    expect(example).toEqual(
      [...new Set(asked.map(([, name]) => `${name}=`))].sort(
        (a, b) => example.indexOf(a) - example.indexOf(b),
      ),
    );
    for (const { environment } of Object.values(services))
      for (const [name, value] of Object.entries(environment ?? {}))
        if (/KEY|SECRET|PASSWORD|USER$/.test(name) && name !== 'POSTGRES_USER')
          expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{/)]);
  });

  it('gives the worker longer to stop than its drain takes', () => {
    const minutes = Number(/^(\d+)m$/.exec(service('worker').stop_grace_period ?? '')?.[1]);
    const drainSeconds = Number(service('worker').environment?.['ESPALIER__WORKER__DRAINSECONDS']);
    expect(minutes * 60).toBeGreaterThan(drainSeconds + 60);
  });
});

const secrets: Readonly<Record<string, string>> = {
  ESPALIER_ADMIN_KEY: 'a'.repeat(40),
  ESPALIER_WORKER_KEY: 'b'.repeat(40),
  POSTGRES_PASSWORD: 'unused',
  S3_ACCESS_KEY: 'S3RVER',
  S3_SECRET_KEY: 'S3RVER',
};

describeWith(['postgres'], 'what the composition runs', () => {
  it(
    'becomes healthy, trains a run, stores it in the bucket, and ends in order',
    { timeout: 300_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'espalier-compose-'));
      const postgres = await startPostgres();
      const s3 = await startS3();
      const port = String(await freePort());
      const database = new URL(postgres.url);
      /** The variables of a service, with the places of this machine in place of those of the containers. */
      const environmentOf = (name: string): Record<string, string> => {
        const image = /^ENV ([^]*?)\nUSER/m.exec(read('Dockerfile'))?.[1] ?? '';
        const ofImage = [...image.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value] as const);
        const given = { ...Object.fromEntries(ofImage), ...service(name).environment } as Record<
          string,
          string
        >;
        const placed = Object.entries(given).map(([key, value]) => [
          key,
          value
            .replace(/\$\{(\w+)[^}]*\}/g, (_, secret: string) => secrets[secret] ?? '')
            .replace('postgres:5432/espalier', `${database.host}${database.pathname}`)
            .replace('http://s3:9000', s3.endpoint)
            .replace('http://server:4500', `http://127.0.0.1:${port}`)
            .replace(/^0\.0\.0\.0$/, '127.0.0.1')
            .replace(/^\/data$/, join(folder, name))
            .replace(/^\/cache$/, join(folder, 'cache')),
        ]);
        return {
          PATH: process.env['PATH'] ?? '',
          ESPALIER__SERVER__PORT: port,
          ...(Object.fromEntries(placed) as object),
        };
      };
      const children: ChildProcess[] = [];
      const start = (name: string): ChildProcess => {
        const [init, separator, program, ...words] = listIn(argumentsOf('ENTRYPOINT'));
        expect([init, separator]).toEqual(['tini', '--']);
        const command = service(name).command ?? listIn(argumentsOf('CMD'));
        const child = spawn(program ?? '', [...words, ...command], {
          cwd: root,
          env: environmentOf(name),
          stdio: 'ignore',
        });
        children.push(child);
        return child;
      };
      // in a process of its own: the S3 server answers from this one
      const isHealthy = async (name: string): Promise<boolean> => {
        const check = argumentsOf('HEALTHCHECK');
        const [kind, program, ...words] = service(name).healthcheck?.test ?? ['CMD', ...listIn(check)];
        expect(kind).toBe('CMD');
        const child = spawn(program ?? '', words, { cwd: root, env: environmentOf(name), stdio: 'ignore' });
        const [code] = (await once(child, 'exit')) as [number | null];
        return code === 0;
      };
      const healthy = async (): Promise<boolean[]> => [await isHealthy('server'), await isHealthy('worker')];
      const client = createClient({
        url: `http://127.0.0.1:${port}`,
        key: secrets['ESPALIER_ADMIN_KEY'] ?? '',
      });
      try {
        expect(await healthy()).toEqual([false, false]);
        const server = start('server');
        await waitFor('the server is healthy', () => isHealthy('server'), 60_000);
        const worker = start('worker');
        await waitFor('the worker is healthy', () => isHealthy('worker'), 60_000);
        const spec = {
          environment: { use: 'bandit' },
          algorithm: { use: 'grpo' },
          steps: 1,
          rollout: { promptsPerStep: 1, groupSize: 2, maxResponseTokens: 16 },
          validation: { every: 0, atStart: false, atEnd: false },
        };
        const { id } = await client.runs.create({ spec });
        const stateOf = async (): Promise<string> => (await client.runs.get(id)).state;
        await waitFor('the run is over', async () => /finished|failed/.test(await stateOf()), 120_000);
        const [weights] = await client.artifacts.list(id, 'checkpoints/');
        expect(weights?.path).toContain('checkpoints/');
        expect(readdirSync(join(s3.folder, s3.bucket)).length).toBeGreaterThan(0);
        for (const child of [worker, server]) {
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          expect(await ended).toEqual([0, null]);
        }
        expect(await healthy()).toEqual([false, false]);
      } finally {
        await client.dispose();
        for (const child of children) child.kill('SIGKILL');
        await s3.stop();
        await postgres.stop();
        removeFolder(folder);
      }
    },
  );
});
