import { AppError } from '@espalier/contracts';
import type { SingleSpec } from '@espalier/contracts/mixing';
import { describe, expect, it } from 'vitest';
import type { OpenedModel } from './open-model.js';
import { findWithoutPictures, requireRoom } from './validate-prompt-length.js';

/** What is said of a first message of `first` tokens; empty when there is room. */
function finding(first: number, rollout: { maxResponseTokens: number; contextTokens?: number }): string {
  const spec = { environment: { use: 'maze', size: 32 }, rollout } as unknown as SingleSpec;
  const model = { limits: { contextLength: 1024 } } as OpenedModel;
  try {
    requireRoom({ spec, model }, { first, closing: 2 });
    return '';
  } catch (error) {
    if (error instanceof AppError && error.code === 'config.impossible_budget') return error.message;
    throw error;
  }
}

describe('requireRoom', () => {
  it('accepts what fits to the last token', () => {
    expect(finding(958, { maxResponseTokens: 64 })).toBe('');
    expect(finding(959, { maxResponseTokens: 64 })).toContain(
      'lower rollout.maxResponseTokens to at most 63',
    );
  });

  it('advises a longer context only as far as the model reads', () => {
    expect(finding(400, { maxResponseTokens: 64, contextTokens: 300 })).toContain(
      'raise rollout.contextTokens to at least 466',
    );
    const message = finding(1087, { maxResponseTokens: 64 });
    expect(message).not.toContain('raise rollout.contextTokens');
    expect(message).toContain('shorten the observations of maze (its options: environment.size)');
    expect(message).toContain('a model that reads more than 1024 tokens');
  });
});

describe('findWithoutPictures', () => {
  const lake = { tag: 'lake', use: 'frozen-lake', hasPictures: true };
  const arms = { tag: 'arms', use: 'bandit', hasPictures: false };
  const bandit = { ...arms, tag: 'bandit' };

  it('names the tags of several environments that draw none', () => {
    expect(findWithoutPictures([lake, lake])).toBeUndefined();
    expect(findWithoutPictures([arms, lake])).toBe(
      'rollout.images: arms (bandit) draws no pictures; turns there have none',
    );
    expect(findWithoutPictures([arms, lake, bandit, bandit])).toBe(
      'rollout.images: arms (bandit), bandit draw no pictures; turns there have none',
    );
  });

  it('refuses a run in which no environment draws', () => {
    const refused = /^rollout\.images: arms \(bandit\) draws no pictures; leave the option out/;
    expect(() => findWithoutPictures([arms])).toThrow(refused);
    expect(() => findWithoutPictures([{ ...bandit, tag: undefined }])).toThrow(/: bandit draws no pictures/);
  });
});
