import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import harbor from './index.js';
import { writeTask } from './testing/write-task.js';

/** A tool of Linux that a machine may lack. */
const hasBubblewrap = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

describe.skipIf(!hasBubblewrap)('harbor (needs bubblewrap)', () => {
  testEnvironment(harbor, { params: { maxCommands: 3 }, seeds: [0, 1, 2], oracleSolves: 1 });

  const folder = mkdtempSync(join(tmpdir(), 'harbor-spec-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const opened: EnvironmentInstance[] = [];
  afterEach(async () => {
    for (const instance of opened.splice(0)) await instance.close!();
  });
  const other = writeTask(folder, 'other');
  let number = 0;
  const open = (files: Record<string, string>, given: object = {}): EnvironmentInstance => {
    const task = writeTask(folder, `task-${++number}`, files);
    const tasks = { source: 'folders', train: [task], validation: [other], test: [other] };
    const instance = harbor.create(harbor.params.parse({ tasks, prove: false, ...given }));
    opened.push(instance);
    return instance;
  };
  const begin = async (
    files: Record<string, string> = {},
    given: object = {},
  ): Promise<EnvironmentInstance> => {
    const instance = open(files, given);
    await instance.reset({ state: 0, noise: 0 });
    return instance;
  };
  const say = async (instance: EnvironmentInstance, action: string): Promise<string> =>
    (await instance.step(action)).observation.text;

  it('has tasks of its own whose only reward is learned from, whatever `reward` says', async () => {
    const params = harbor.params.parse({ reward: 'passed' });
    const inert = harbor.inert!(params, harbor.limits(params));
    expect(inert).toEqual(['unsupported', 'installs', 'prove', 'reward']);
    // those to train on, and the first seeds of validation and test
    for (const state of [0, 1, 2, 123_000, 2_000_000]) {
      const instance = harbor.create(params);
      opened.push(instance);
      await instance.reset({ state, noise: 0 });
      const [solution = ''] = instance.oracle!();
      await instance.step(solution);
      expect(await instance.step('submit')).toMatchObject({ reward: 1, success: true });
    }
  });

  it('gives the reward of the tests for what was done', async () => {
    const idle = await begin();
    expect(await idle.step('submit')).toMatchObject({ reward: 0, done: true, success: false });
    const done = await begin();
    expect(await done.step('touch done.txt')).toMatchObject({ reward: 0, done: false, effective: true });
    expect(await done.step('submit')).toMatchObject({
      reward: 1,
      done: true,
      success: true,
      metrics: { tests_failed_to_run: 0 },
    });
    const last = await begin({}, { maxCommands: 1 });
    expect(await last.step('touch done.txt')).toMatchObject({ reward: 1, done: true, success: true });
  });

  it('shows output and exit status, and cuts both off', async () => {
    const instance = await begin({}, { commandTimeoutMs: 2000, maxObservation: 50 });
    expect(await say(instance, 'echo out; echo err >&2; false')).toBe('out\nerr\n[exit status 1]');
    expect(await say(instance, 'seq 1000')).toMatch(/^1\n2\n[^]*characters left out[^]*\n1000$/);
    const late = await instance.step('echo begun; (sleep 2.5; touch late.txt) & sleep 9');
    expect(late).toMatchObject({ done: false, metrics: { command_failed: 1 } });
    expect(late.observation.text).toBe('begun\n[cut off after 2000 ms]');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await say(instance, 'ls; cd /tmp')).toBe('(no output)');
    expect(await say(instance, 'pwd')).toBe('/app');
  });

  it('finds programs of the task beside those of the machine', async () => {
    const instance = await begin({
      'environment/Dockerfile': 'FROM a\nWORKDIR /app\nCOPY own bin/\nENV PATH="/app/bin:$PATH"\n',
      'environment/own': 'echo own program',
    });
    expect(await say(instance, 'chmod +x bin/own; own | cut -d " " -f 1')).toBe('own');
  });

  it('keeps to the limits of task.toml', async () => {
    const limits = (verifierSeconds: number): string =>
      `[agent]\ntimeout_sec = 3\n[verifier]\ntimeout_sec = ${verifierSeconds}\n[environment]\nstorage_mb = 1\n`;
    const slow = await begin({ 'task.toml': limits(60) });
    expect(await say(slow, 'head -c 3000000 /dev/zero > big; wc -c < big')).toContain('1048576');
    expect(await slow.step('touch done.txt; sleep 60')).toMatchObject({
      reward: 1,
      done: true,
      success: true,
    });
    const hanging = await begin({ 'task.toml': limits(0.5), 'tests/test.sh': '#!/bin/bash\nsleep 9\n' });
    const end: StepResult = await hanging.step('submit');
    expect(end).toMatchObject({ reward: 0, done: true, metrics: { tests_failed_to_run: 1 } });
    expect(end.observation.text).toContain('the tests did not end within 0.5 s');
  });

  it('shows commands nothing of this machine but its programs, and lets them change nothing of it', async () => {
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    const instance = await begin({
      'task.toml': '[environment.env]\nGIVEN = "yes"\n',
      'tests/test.sh': '#!/bin/bash\nln -s /etc/hostname /logs/verifier/reward.txt\n',
    });
    expect(await say(instance, `cat ${folder}/secret.txt /etc/shadow 2>&1 | grep -c 'No such file'`)).toBe(
      '2',
    );
    expect(await say(instance, 'touch /usr/x /x /etc/x')).toMatch(/Read-only[^]*Read-only[^]*Read-only/);
    expect(await say(instance, 'ls /sys/class/net 2>/dev/null; (echo > /dev/tcp/1.1.1.1/53) 2>&1')).toContain(
      'unreachable',
    );
    expect(await say(instance, 'env | cut -d= -f1 | sort | xargs')).toBe(
      'GIVEN HOME LANG PATH PWD SHLVL TERM USER _',
    );
    expect(await say(instance, 'mkdir /tests; ls -d /tests /solution 2>&1 | wc -l')).toContain('2');
    // a reward that is a link shows nothing of this machine
    expect(await instance.step('submit')).toMatchObject({ reward: 0, metrics: { tests_failed_to_run: 1 } });
  });

  it.each([
    [`echo '{"reward":1}' > /logs/verifier/reward.json; chmod 555 /logs/verifier`],
    [
      `mkdir out; echo '{"reward":1}' > out/reward.json; rm -rf /logs/verifier; ln -s /app/out /logs/verifier; chmod 555 out /logs`,
    ],
    [`(while :; do echo '{"reward":1}' > /logs/verifier/reward.json; done) > /dev/null 2>&1 &`],
  ])('reads the reward of the tests where a command says %s', async (action) => {
    const instance = await begin();
    await instance.step(action);
    expect(await instance.step('submit')).toMatchObject({
      reward: 0,
      success: false,
      metrics: { tests_failed_to_run: 0 },
    });
  });

  it('reads no reward from what is no file', async () => {
    const pipe = await begin({ 'tests/test.sh': '#!/bin/bash\nmkfifo /logs/verifier/reward.txt\n' });
    expect(await pipe.step('submit')).toMatchObject({ reward: 0, metrics: { tests_failed_to_run: 1 } });
  });

  it('runs no command that bash cannot be given', async () => {
    const instance = await begin();
    await instance.step('false');
    const before = { reward: 0, done: false, valid: false, metrics: { command_failed: 0 } };
    expect(await instance.step('touch done.txt; echo a\0b')).toMatchObject({
      ...before,
      observation: { text: '[not run: a command cannot contain the character NUL]' },
    });
    expect(instance.facts!()).toMatchObject({ status: null, commands: 2 });
    expect(await instance.step(`: ${'x'.repeat(131_069)}`)).toMatchObject({ valid: true });
    expect(await instance.step(`: ${'é'.repeat(65_535)}`)).toMatchObject({
      ...before,
      observation: { text: '[not run: a command cannot have more than 131071 bytes]' },
    });
    expect(await instance.step('ls')).toMatchObject({ observation: { text: '(no output)' }, valid: true });
  });

  const ours = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`espalier-harbor-${process.pid}-`));

  it('leaves no folder behind, whose paths may be longer than Node takes', async () => {
    const before = ours();
    const instance = await begin();
    expect(ours()).toHaveLength(before.length + 1);
    const name = 'a'.repeat(200);
    const length = await say(instance, `for i in $(seq 25); do mkdir ${name}; cd ${name}; done; pwd | wc -c`);
    expect(Number(length)).toBeGreaterThan(5000);
    expect(await say(instance, 'ls')).toBe(name);
    await instance.close!();
    expect(ours()).toEqual(before);
  });

  it('leaves no folder behind where it is closed during a reset or a step', async () => {
    const before = ours();
    const slow = { 'environment/Dockerfile': 'FROM a\nWORKDIR /app\nRUN sleep 0.5\n' };
    for (const given of [{}, { prove: true }]) {
      const instance = open(slow, given);
      const pending = expect(instance.reset({ state: 0, noise: 0 })).rejects.toThrow(
        /the episode was closed while task "task-\d+" was being built; [^]*environmentTimeoutMs/,
      );
      await instance.close!();
      await pending;
      expect(ours()).toEqual(before);
    }
    const replaced = open(slow);
    const first = expect(replaced.reset({ state: 0, noise: 0 })).rejects.toThrow('was closed while');
    await replaced.reset({ state: 0, noise: 0 });
    await first;
    expect(ours()).toHaveLength(before.length + 1);
    // after its last command the tests would run
    const last = await begin({}, { maxCommands: 1 });
    const step = expect(last.step('sleep 9')).rejects.toThrow('its episode was closed meanwhile');
    await last.close!();
    await step;
    await replaced.close!();
    expect(ours()).toEqual(before);
  });

  it('refuses a task whose tests do not tell its solution from nothing', async () => {
    const reset = (files: Record<string, string>): unknown =>
      open(files, { prove: true }).reset({ state: 0, noise: 0 });
    await expect(
      reset({ 'tests/test.sh': '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n' }),
    ).rejects.toThrow('its tests give 1 when nothing was done');
    await expect(reset({ 'solution/solve.sh': '#!/bin/bash\ntouch other.txt\n' })).rejects.toThrow(
      'its own solution gets a reward of 0',
    );
    await expect(reset({ 'tests/test.sh': '#!/bin/bash\npytest-of-a-container\n' })).rejects.toThrow(
      /neither [^]* command not found[^]*install what they need/,
    );
    await expect(
      reset({ 'environment/Dockerfile': 'FROM a\nWORKDIR /app\nRUN no-such-program' }),
    ).rejects.toThrow('line 3 of its Dockerfile ended with 127');
    // with its solution in two files the task is tried, but there is no plan in one command
    const whole = open(
      { 'solution/solve.sh': '#!/bin/bash\n. /solution/more.sh\n', 'solution/more.sh': 'touch done.txt\n' },
      { prove: true },
    );
    await whole.reset({ state: 0, noise: 0 });
    expect(whole.oracle!()).toEqual([]);
  });
});
