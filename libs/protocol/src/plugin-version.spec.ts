import { describe, expect, it } from 'vitest';
import {
  describePluginDifference,
  findPluginDifferences,
  listPluginConflicts,
  type PluginVersion,
} from './plugin-version.js';

const coin = (version: string, sha256 = `hash of ${version}`): PluginVersion => ({
  kind: 'environment',
  id: 'coin',
  version,
  sha256,
});
const dice: PluginVersion = { ...coin('1.0.0'), id: 'dice' };

describe('plugins in two states', () => {
  it('differ where files are others or missing; more of them and another number alone are no difference', () => {
    const before = coin('1.0.0');
    const now = coin('2.0.0');
    expect(findPluginDifferences([before, dice], [now])).toEqual([
      { before, now },
      { before: dice, now: undefined },
    ]);
    expect(findPluginDifferences([before], [dice, coin('1.0.1', before.sha256)])).toEqual([]);
  });

  it('are the same where one of both has no hash', () => {
    expect(findPluginDifferences([coin('1.0.0', '')], [coin('2.0.0')])).toEqual([]);
    expect(findPluginDifferences([coin('1.0.0')], [coin('2.0.0', '')])).toEqual([]);
    expect(findPluginDifferences([coin('1.0.0', '')], [])).toHaveLength(1);
  });

  it('are told as a change of a run, and as what a machine has instead', () => {
    const changed = { before: coin('1.0.0'), now: coin('2.0.0') };
    expect(describePluginDifference(changed)).toBe(
      'environment coin was 1.0.0 (hash of 1.0.), is 2.0.0 (hash of 2.0.)',
    );
    expect(listPluginConflicts([changed.before, dice], [changed.now])).toEqual([
      'environment coin 2.0.0 (hash of 2.0.), the run started with 1.0.0 (hash of 1.0.)',
      'no environment dice, the run started with 1.0.0 (hash of 1.0.)',
    ]);
  });
});
