import { existsSync } from 'node:fs';
import { AppError, type ErrorCode } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { hintFor, hintForOption } from './error-hints.js';

const hint = (code: ErrorCode, command: string, details = {}) =>
  hintFor(new AppError(code, '', { details }), command);

describe('hintForOption', () => {
  const refused = (flag: string, ...argv: string[]) =>
    hintForOption(`error: unknown option '--${flag}'`, argv);

  it('leads to --set where a configuration has such an option', () => {
    const set = 'is an option of the configuration: --set';
    expect(refused('steps', 'train', 'x.yaml', '--steps', '3')).toBe(`steps ${set} steps=3`);
    expect(refused('learning-rate', 'plan', 'x.yaml', '--learning-rate=1e-3')).toBe(
      `optimizer.learningRate ${set} optimizer.learningRate=1e-3`,
    );
    expect(refused('seed', 'train', '--seed', '--json')).toBe(`seed ${set} seed=…`);
  });

  it('is silent about others, and for commands without --set', () => {
    expect(refused('colour', 'train', '--colour', 'red')).toBeUndefined();
    expect(refused('steps', 'eval', '--steps', '3')).toBeUndefined();
  });
});

describe('hintFor', () => {
  it('never sends anybody back to the command that failed', () => {
    for (const command of ['train', 'plan', 'eval'])
      expect(hint('config.unknown_key', command)).not.toMatch(/plan|train|eval /);
  });

  it('names files that exist', () => {
    const texts = [
      hint('config.unknown_key', 'plan'),
      hint('config.unreadable', 'train', { missing: true }),
      hint('config.unknown_key', 'sweep'),
    ];
    const paths = texts.flatMap((text) => text?.match(/\S*\/[^\s;]+/g) ?? []);
    expect(paths).toHaveLength(5);
    expect(paths).toContain('config/schema/sweep.schema.json');
    for (const path of paths) expect(existsSync(path), path).toBe(true);
  });

  it('leads to the options of a warm start, whichever command reads one', () => {
    for (const command of ['warm-start', 'plan']) {
      const text = hint('config.unknown_key', command, { isWarmStart: true });
      const [schema = '', page = ''] = text?.match(/\S*\/[^\s;]+/g) ?? [];
      expect([schema, page]).toEqual(['config/schema/warm-start.schema.json', 'docs/reference/plugins.md']);
      expect([existsSync(schema), existsSync(page)]).toEqual([true, true]);
    }
  });

  it('leads to the settings of a service where those are wrong', () => {
    for (const [service, page] of [
      ['SERVER', 'docs/reference/settings.md'],
      ['WORKER', 'config/worker.yaml'],
    ] as const) {
      expect(hint('config.wrong_type', 'up', { settings: `ESPALIER__${service}` })).toBe(
        `all settings: ${page}`,
      );
      expect(existsSync(page)).toBe(true);
    }
  });

  it('leads to the settings where a file of them is missing', () => {
    const missing = { missing: true, isSettings: true };
    expect(hint('config.unreadable', 'serve', missing)).toBe('all settings: docs/reference/settings.md');
    expect(hint('config.unreadable', 'worker', missing)).toBe('all settings: config/worker.yaml');
  });

  it('says of a refused spec what it says of one that was read here', () => {
    const refused = hint('client.refused', 'run', { code: 'config.unknown_key' });
    expect(refused).toBe(hint('config.unknown_key', 'plan'));
  });

  it('tells options of environments where only those are asked for', () => {
    expect(hint('config.unknown_key', 'env')).toMatch(/^options of each environment: .*plugins --json$/);
    expect(hint('config.wrong_type', 'warm-start')).toBeUndefined();
  });

  it('keeps silent about configurations where one was found', () => {
    expect(hint('config.unreadable', 'train')).toBeUndefined();
    // the file of an agent, or of replies
    expect(hint('config.unreadable', 'eval', { missing: true, isConfig: false })).toBeUndefined();
    expect(hint('config.unreadable', 'warm-start', { missing: true })).toMatch(/config\/warm-start$/);
  });
});
