import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { encodeCheckedLine } from '@espalier/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { healthLines, readHealth } from './run-health.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-health-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const change = (step: number, state: string, message: string) =>
  JSON.stringify({ kind: 'monitor', time: 0, step, state, previous: 'healthy', findings: [], message });
const store = (step: number): void => {
  mkdirSync(join(folder, 'trajectories'), { recursive: true });
  writeFileSync(join(folder, runLayout.trajectoriesOf(step)), '');
};
const check = (step: number): void =>
  writeFileSync(
    join(folder, 'metrics.jsonl'),
    encodeCheckedLine({ step, time: 0, values: { 'monitor/state': 0 } }),
  );
const write = (...lines: string[]): void => writeFileSync(join(folder, 'events.jsonl'), lines.join('\n'));

describe('the health of a recorded run', () => {
  it('is its last change, with what was found and what to look at', () => {
    store(9);
    const ended = JSON.stringify({ kind: 'run-ended', message: 'a "monitor" said so' });
    write(change(5, 'warning', 'entropy-rise: much'), change(9, 'collapsed', 'invalid-format: bad'), ended);
    expect(readHealth(folder)).toEqual({ state: 'collapsed', since: 9, evidence: 'invalid-format: bad' });
    const lines = healthLines(folder, readHealth(folder));
    expect(lines[0]).toBe('health: collapsed since step 9: invalid-format: bad');
    expect(lines[1]).toMatch(/what the agent did then: .*show .*espalier-health-.* --step 9$/);
    expect(lines[2]).toContain('docs/learn/collapse.md');
  });

  it('is one line after a roll-back, and survives a line that is being written', () => {
    write(change(9, 'collapsed', 'bad'), change(9, 'healthy', 'back to step 4'), '{"kind":"monitor","sta');
    expect(healthLines(folder, readHealth(folder))).toEqual(['health: healthy since step 9: back to step 4']);
  });

  it('is what a run ended with that was so from its beginning, and looks at a step that it has', () => {
    const health = { state: 'collapsed', since: 4, evidence: 'bad' };
    write(JSON.stringify({ kind: 'run-ended', message: '', health }));
    expect(readHealth(folder)).toEqual(health);
    expect(healthLines(folder, readHealth(folder))).toHaveLength(2);
    store(3);
    store(6);
    expect(healthLines(folder, readHealth(folder))[1]).toMatch(/--step 6$/);
  });

  it('is not judged before the fourth check', () => {
    check(3);
    expect(healthLines(folder, readHealth(folder))).toEqual([
      'health: not judged yet: the monitor compares from its fourth check on',
    ]);
    check(4);
    expect(healthLines(folder, readHealth(folder))).toEqual(['health: healthy']);
  });

  it('is healthy where checks changed nothing, and unknown where there were none', () => {
    expect(healthLines(folder, readHealth(folder))).toEqual([]);
    check(4);
    expect(healthLines(folder, readHealth(folder))).toEqual(['health: healthy']);
  });
});
