import { Int } from '@nestjs/graphql';
import {
  clipCodes,
  tokenColumns,
  tokenDifferences,
  TrajectoryTokens,
  TokenSeries,
  TokenSummary,
} from '../../../core/history/trajectories/token-columns.js';
import { NumbersScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const ofLossTokens = (text: string) =>
  [
    () => NumbersScalar,
    {
      nullable: true,
      description: `${sentence(text)}; null for tokens that are not in the loss. The column is null where the trajectory has none: not trained, not recorded, or unknown to its algorithm.`,
    },
  ] as const;
const sides = Object.entries(clipCodes)
  .map(([side, code]) => `${code}: ${side}`)
  .join(', ');
const differences = Object.entries(tokenDifferences)
  .map(([name, [value, less]]) => `\`${name}\` (${value} − ${less})`)
  .join(', ');

describeType(
  TrajectoryTokens,
  { description: 'Tokens of a trajectory; entry i of every column is of token from + i.' },
  {
    from: [() => Int, { description: 'First token, from 0.' }],
    total: [() => Int, { description: 'Tokens of the trajectory.' }],
    tokens: [() => NumbersScalar, { description: 'Token ids.' }],
    textEnds: [
      () => NumbersScalar,
      {
        nullable: true,
        description:
          'For each token that was sampled, the character of its turn’s response at which it ends, in UTF-16 units; 0 elsewhere. Null: not recorded.',
      },
    ],
    mask: [
      () => NumbersScalar,
      {
        description:
          '0: not sampled; 1: sampled, and outside the loss mask, or the mask is not stored; 2: in the loss mask.',
      },
    ],
    clipped: ofLossTokens(`side of clipping at the last optimizer pass (0: not clipped, ${sides})`),
    logprobs: [
      () => NumbersScalar,
      { description: `${sentence(tokenColumns.logprobs)}; null for tokens that were not sampled.` },
    ],
    entropies: [
      () => NumbersScalar,
      { description: `${sentence(tokenColumns.entropies)}; null for tokens that were not sampled.` },
    ],
    advantages: ofLossTokens(tokenColumns.advantages),
    returns: ofLossTokens(tokenColumns.returns),
    trainerLogprobs: ofLossTokens(tokenColumns.trainerLogprobs),
    referenceLogprobs: ofLossTokens(tokenColumns.referenceLogprobs),
    samplerWeights: ofLossTokens(tokenColumns.samplerWeights),
    ratios: ofLossTokens(tokenColumns.ratios),
    losses: ofLossTokens(tokenColumns.losses),
    gradientWeights: ofLossTokens(tokenColumns.gradientWeights),
  },
);

describeType(
  TokenSeries,
  { description: 'A column of a trajectory in parts of equal length; null where a part has no value.' },
  {
    name: [() => String, { description: `Name of the column in pages, or ${differences}.` }],
    minima: [() => NumbersScalar, { description: 'Least value of each part.' }],
    maxima: [() => NumbersScalar, { description: 'Greatest value of each part.' }],
    means: [() => NumbersScalar, { description: 'Mean of the values of each part.' }],
    extremes: [
      () => NumbersScalar,
      {
        description:
          'Positions of the 20 tokens furthest from 0 (ratios and weights: from 1), the furthest first.',
      },
    ],
  },
);

describeType(
  TokenSummary,
  { description: 'All tokens of a trajectory in parts of equal length, for an overview.' },
  {
    total: [() => Int, { description: 'Tokens of the trajectory.' }],
    bucketTokens: [() => Int, { description: 'Tokens of each part; the last one may have fewer.' }],
    sampled: [() => NumbersScalar, { description: 'Sampled tokens of each part.' }],
    inLoss: [() => NumbersScalar, { description: 'Tokens in the loss mask of each part.' }],
    clipped: [
      () => NumbersScalar,
      { nullable: true, description: 'Clipped tokens of each part; null: not trained, or not recorded.' },
    ],
    series: [() => [TokenSeries], { description: 'The columns that the trajectory has.' }],
  },
);
