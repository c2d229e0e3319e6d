import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeTask } from '../testing/write-task.js';
import { parseDockerfile } from './dockerfile.js';
import { readTask, readTasks, type TaskSource } from './read-tasks.js';
import type { Task } from './task.js';

const folder = mkdtempSync(join(tmpdir(), 'harbor-tasks-'));
afterAll(() => rmSync(folder, { recursive: true }));
let number = 0;
const fresh = (): string => join(folder, String(++number));
const defaults = { unsupported: 'refuse', installs: 'refuse', network: false } as const;
const obstaclesOf = (files: Record<string, string>, given: Partial<TaskSource> = {}): readonly string[] => {
  const read = readTask(writeTask(fresh(), 'task', files), { ...defaults, ...given });
  return Array.isArray(read) ? read : [];
};

describe('a Dockerfile', () => {
  it('is read up to what can be done without a container', () => {
    const text = [
      '# comment',
      'FROM python:3.12-slim AS base',
      'ARG VERSION=2',
      'ENV NAME="two words" LEVEL=$VERSION',
      'WORKDIR /app',
      'WORKDIR src',
      'COPY --chown=root a.txt b.txt lib',
      'COPY ["with space.txt", "/data/"]',
      'RUN mkdir -p out && \\',
      '    # in between',
      '    touch out/x',
      'RUN ["echo", "it\'s"]',
      'CMD ["bash"]',
    ].join('\n');
    expect(parseDockerfile(text, 'refuse')).toEqual({
      workdir: '/app/src',
      variables: { NAME: 'two words', LEVEL: '2' },
      obstacles: [],
      steps: [
        { kind: 'folder', path: '/app' },
        { kind: 'folder', path: '/app/src' },
        { kind: 'copy', sources: ['a.txt', 'b.txt'], target: '/app/src/lib/', line: 7 },
        { kind: 'copy', sources: ['with space.txt'], target: '/data/', line: 8 },
        { kind: 'run', command: 'mkdir -p out &&      touch out/x', folder: '/app/src', line: 9 },
        { kind: 'run', command: String.raw`'echo' 'it'\''s'`, folder: '/app/src', line: 12 },
      ],
    });
  });

  it('may use variables that it has set, those of the sandbox, and defaults', () => {
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const text = [
      'FROM a',
      'ARG EMPTY',
      'ENV PATH="/app/bin:$PATH" KEPT=${PATH:-none} SPARE=${MISSING:-a/b} FILLED="${EMPTY:-}${EMPTY:-c}" COST="\\$5"',
      'ENV PATH=/opt:${PATH}',
      'WORKDIR /data/$USER',
    ];
    expect(parseDockerfile(text.join('\n'), 'refuse')).toMatchObject({
      workdir: '/data/root',
      variables: { PATH: `/opt:/app/bin:${path}`, KEPT: path, SPARE: 'a/b', FILLED: 'c', COST: '$5' },
      obstacles: [],
    });
    const unknown =
      'FROM a\nENV X=$constructor\nWORKDIR /a/${B}\nCOPY ${C:+c} /app/\nENV Y=${D:-$USER} Z=${USER\n';
    const from = (name: string): string =>
      `it takes ${name} from its base image, which is not known here: write \${${name}:-default}`;
    const forms = 'where only $NAME, ${NAME} and ${NAME:-default} are understood';
    expect(parseDockerfile(unknown, 'refuse').obstacles).toEqual([
      `Dockerfile:2: ${from('constructor')}`,
      `Dockerfile:3: ${from('B')}`,
      `Dockerfile:4: it has \${C:+c}, ${forms}`,
      `Dockerfile:5: it has \${D:-, ${forms}`,
      `Dockerfile:5: it has \${USER, ${forms}`,
    ]);
  });

  it('says with its line what needs a container', () => {
    const text =
      'FROM a\nRUN apt-get update && apt-get install -y git\nADD x.tar /\nUSER me\nCOPY --from=a /x /y\nFROM b\nCOPY *.py /app/\nRUN <<EOF\n';
    expect(parseDockerfile(text, 'refuse').obstacles).toEqual([
      'Dockerfile:2: it gets software with apt-get',
      'Dockerfile:3: ADD needs a container',
      'Dockerfile:4: it runs as user me',
      'Dockerfile:5: it copies from another image',
      'Dockerfile:6: it has several stages',
      'Dockerfile:7: it copies by a pattern',
      'Dockerfile:8: it has a file within',
    ]);
    expect(parseDockerfile('FROM a\nRUN pip install pytest', 'assume')).toMatchObject({
      obstacles: [],
      steps: [],
    });
  });
});

describe('a task', () => {
  it('has its instruction without a canary, its name, its variables, and its solution as a command', () => {
    process.env['HARBOR_SPEC_VALUE'] = 'from here';
    const task = readTask(
      writeTask(fresh(), 'task', {
        'instruction.md': '<!-- canary 1 -->\n# Canary GUID\n\nDo it.\n',
        'task.toml':
          'version = "1.0"\n[task]\nname = "me/one"\n[environment]\nmemory = "2G"\nstorage = "512M"\n[environment.env]\nA = "${HARBOR_SPEC_VALUE}"\nB = "${NOT_HERE:-spare}"\n[future]\nkey = 1\n',
      }),
      defaults,
    ) as Task;
    delete process.env['HARBOR_SPEC_VALUE'];
    expect(task).toMatchObject({
      name: 'me/one',
      instruction: 'Do it.\n',
      hasSolution: true,
      script: '#!/bin/bash\ntouch done.txt\n',
      variables: { environment: { A: 'from here', B: 'spare' } },
      config: { environment: { memory_mb: 2048, storage_mb: 512 }, verifier: { timeout_sec: 600 } },
    });
  });

  it.each([
    ['[environment]\nos = "Windows"\ngpus = 1\n', ['it needs Windows', 'it needs a GPU']],
    ['[environment]\n[environment.healthcheck]\ncommand = "x"\n', ['it needs a service (healthcheck)']],
    ['[[environment.mcp_servers]]\nname = "x"\nurl = "http://x"\n', ['it needs MCP servers']],
    ['[verifier]\nenvironment_mode = "separate"\n', ['its tests need a container of their own']],
    ['[agent]\nuser = "agent"\n', ['it needs a user other than root']],
    ['[[steps]]\nname = "one"\n', ['it has several steps']],
    ['[environment]\nworkdir = "/usr/src/app"\n', ['it works in /usr/src/app']],
    ['[environment.env]\nKEY = "${HARBOR_NOT_SET}"\n', ['this machine has no variable HARBOR_NOT_SET']],
    ['[verifier]\ntimeout_sec = -1\n', [expect.stringMatching(/^task\.toml: verifier\.timeout_sec: /)]],
    ['[verifier\n', [expect.stringMatching(/^task\.toml: line 1: /)]],
    ['[environment]\nmemory = "much"\n', ['task.toml: environment.memory: "much" is no size such as "2G"']],
  ])('with %j cannot be played', (config, obstacles) => {
    expect(obstaclesOf({ 'task.toml': config })).toEqual(obstacles);
  });

  it('may not restrict a network that is open', () => {
    const files = { 'task.toml': '[agent]\nnetwork_mode = "no-network"\n' };
    expect(obstaclesOf(files)).toEqual([]);
    expect(obstaclesOf(files, { network: true })).toHaveLength(1);
  });

  it('is refused for services, for files that are missing, and for places of the machine', () => {
    expect(obstaclesOf({ 'environment/docker-compose.yaml': '' })).toEqual([
      'it needs services of Docker Compose',
    ]);
    const copies =
      'FROM a\nWORKDIR /app\nCOPY ../task.toml .\nCOPY none.txt .\nCOPY x /etc/x\nCOPY x /x\nCOPY x /app\n';
    expect(obstaclesOf({ 'environment/Dockerfile': copies, 'environment/x': '' })).toEqual([
      'Dockerfile:3: there is no ../task.toml to copy',
      'Dockerfile:4: there is no none.txt to copy',
      'Dockerfile:5: it copies to /etc/x',
      'Dockerfile:6: it copies to /',
    ]);
  });
});

describe('a folder of tasks', () => {
  const parent = fresh();
  writeTask(parent, 'good');
  writeTask(parent, 'other');
  writeTask(parent, 'bad', { 'environment/Dockerfile': 'FROM a\nRUN apt-get install -y x' });
  const source: TaskSource = { ...defaults, train: [parent], validation: [join(parent, 'other')] };

  it('is refused with the tasks that need a container, or read without them', () => {
    expect(() => readTasks(source)).toThrow(
      'read tasks of Harbor: 1 of 3 tasks cannot be played: bad (Dockerfile:2: it gets software with apt-get); there are no containers here: choose other tasks, or set `installs: assume` where this machine has the packages, or leave these out with `unsupported: skip`',
    );
    const { train, validation } = readTasks({ ...source, unsupported: 'skip' });
    expect([train, validation].map((tasks) => tasks.map(({ name }) => name))).toEqual([['good'], ['other']]);
    expect(() => readTasks({ ...source, train: [join(parent, 'bad')], unsupported: 'skip' })).toThrow(
      '1 of 1 tasks',
    );
  });

  it('shares no task between splits, and test comes first', () => {
    const names = (tasks: readonly Task[]): string[] => tasks.map(({ name }) => name).sort();
    const many = fresh();
    const all = Array.from({ length: 40 }, (_, at) => `t${at}`);
    for (const name of all) writeTask(many, name);
    const of = (name: string): string => join(many, name);
    const held = names(readTasks({ ...defaults, train: [many] }).test);
    expect(held.length).toBeGreaterThan(0);

    const away = writeTask(fresh(), 'away');
    const some = readTasks({ ...defaults, train: [many], validation: [away] });
    expect(names(some.test)).toEqual(held);
    expect(names([...some.train, ...some.test])).toEqual([...all].sort());
    expect(names(some.validation)).toEqual(['away']);

    const taken = readTasks({ ...defaults, train: [many], validation: held.map(of) });
    expect([taken.test, names(taken.validation), taken.train.length]).toEqual([[], held, 40 - held.length]);

    const given = {
      ...defaults,
      train: [many],
      validation: [of('t1'), of('t2')],
      test: [of('t2'), of('t3')],
    };
    const { train, validation, test } = readTasks(given);
    expect([train.length, names(validation), names(test)]).toEqual([37, ['t1'], ['t2', 't3']]);
  });

  it('is refused where there is none, or no task in it', () => {
    expect(() => readTasks({ ...source, train: [join(folder, 'none')] })).toThrow('there is no such folder');
    expect(() => readTasks({ ...source, train: [join(parent, 'good', 'tests')] })).toThrow('task.toml');
  });
});
