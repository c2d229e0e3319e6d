import { describe, expect, it } from 'vitest';
import {
  assessHealth,
  forgetTraining,
  type Health,
  type HealthSettings,
  lastUnsuspectedStep,
  listFiring,
  parseHealth,
  silence,
  startHealth,
} from './health.js';
import { readObservation } from './read-observation.js';

const settings: HealthSettings = { patience: 2, recovery: 3, rules: {} };

describe('a run in several environments', () => {
  const tags = ['far', 'near'];
  /** Success falls in one tag and rises in the other, so that of both hardly moves. */
  const row = (step: number): Record<string, number> => {
    const fallen = Math.max(0, 0.6 - 0.03 * step);
    const risen = Math.min(0.95, 0.3 + 0.03 * step);
    const deviation = (success: number): number => Math.sqrt(success * (1 - success));
    return {
      'rollout/success_rate': (fallen + risen) / 2,
      'rollout/reward_std': 0.45,
      'tag/far/rollout/success_rate': risen,
      'tag/far/rollout/reward_std': deviation(risen),
      'tag/near/rollout/success_rate': fallen,
      'tag/near/rollout/reward_std': deviation(fallen),
    };
  };
  const check = (given: readonly string[], stored = (health: Health): Health => health) => {
    let health = startHealth;
    return Array.from({ length: 30 }, (_, index) => {
      const verdict = assessHealth(
        stored(health),
        readObservation(index + 1, row(index + 1), given),
        settings,
      );
      health = verdict.health;
      return verdict;
    });
  };

  it('is seen to collapse in one of them while the mean of all is steady, and the finding names it', () => {
    const states = (given: readonly string[]): string[] => check(given).map(({ health }) => health.state);
    expect(states([]).every((state) => state === 'healthy')).toBe(true);
    // one environment is the run as a whole
    expect(states(['near']).every((state) => state === 'healthy')).toBe(true);
    expect(states(tags)).toEqual(expect.arrayContaining(['warning', 'collapsed']));
    const verdicts = check(tags);
    const { health, findings } = verdicts.at(-1) as (typeof verdicts)[number];
    expect(new Set(findings.map(({ input }) => input.split('/').slice(0, 2).join('/')))).toEqual(
      new Set(['tag/near']),
    );
    expect(health.evidence).toMatch(/^\S+ in near: .*rollout\/(success_rate|reward_std)/);
    expect(listFiring(health)[0]).toMatchObject({ tag: 'near' });
    const cadence = { check: 1, validation: 1, information: 1, probes: 1 };
    expect(lastUnsuspectedStep(health, cadence)).toBeLessThan(30);
    expect(listFiring(silence(health))).toEqual([]);
    expect(silence(health).tags?.['near']?.inputs).toEqual(health.tags?.['near']?.inputs);
    expect(forgetTraining(health)).not.toHaveProperty('tags');
  });

  it('is judged alike after its memory was stored, and keeps none without tags', () => {
    const stored = (health: Health): Health => parseHealth(JSON.parse(JSON.stringify(health))) as Health;
    expect(check(tags, stored)).toEqual(check(tags));
    expect(check([]).at(-1)?.health).not.toHaveProperty('tags');
    for (const near of [{ inputs: {} }, null])
      expect(parseHealth({ ...startHealth, tags: { near } })).toBeUndefined();
  });

  it('keeps what it knows of one that is not played', () => {
    const { health } = check(tags)[9] as { health: Health };
    const next = assessHealth(health, readObservation(11, { 'rollout/success_rate': 0.5 }, tags), settings);
    expect(next.health.tags?.['near']?.inputs).toEqual(health.tags?.['near']?.inputs);
  });
});
