/** @file What the suites accept: the least of a reward and of an algorithm, and an environment whose actions change from turn to turn. */
import { createStream } from '@espalier/random';
import { z } from 'zod';
import * as objective from '@espalier/objective';
import { defineAlgorithm } from '../define-algorithm.js';
import { defineEnvironment } from '../define-environment.js';
import { defineReward } from '../define-reward.js';
import * as ops from '../ops.js';
import { testAlgorithm } from './algorithm.suite.js';
import { testEnvironment } from './environment.suite.js';
import { testReward } from './reward.suite.js';

testReward(
  defineReward({
    id: 'plain',
    summary: 'Pays nothing, and has no options.',
    score: ({ turns }) => ({ perTurn: turns.map(() => 0) }),
  }),
);

testAlgorithm(
  defineAlgorithm({
    id: 'plain',
    summary: 'Each token is credited with the total; no paper says so.',
    needs: () => ({ critic: false, reference: false }),
    keptShare: () => 1,
    select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
    params: z.strictObject({}),
    advantages: (trajectories) => {
      const lossMask = trajectories.map((one) => one.lossMask);
      const advantages = objective.broadcastToTokens(
        trajectories.map(({ total }) => total),
        lossMask,
      );
      return { advantages, metrics: objective.estimateAdvantageMetrics(advantages, lossMask) };
    },
    policyLoss: () =>
      objective.defineLoss({
        id: 'plain/policy',
        params: {},
        columns: ['oldLogprobs', 'advantages'],
        build: ({ logprobs, columns }) => {
          const ratio = ops.exp(ops.sub(logprobs, columns.oldLogprobs));
          return {
            perToken: ops.neg(ops.mul(ratio, columns.advantages)),
            metrics: { 'policy/ratio': ratio },
          };
        },
      }),
  }),
);

/** The middle one of three values. */
const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[1] ?? NaN;

testAlgorithm(
  defineAlgorithm({
    id: 'median',
    summary:
      'A combination of three critics that the kit does not have: totals are compared with their median.',
    needs: () => ({ critic: true, critics: 3, reference: false }),
    keptShare: () => 1,
    select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
    params: z.strictObject({}),
    advantages: (trajectories) => {
      const lossMask = trajectories.map((one) => one.lossMask);
      const values = trajectories.map(({ criticValues = [], lossMask: own }) =>
        Float64Array.from(own, (_, t) => middle(criticValues.map((said) => said[t] ?? NaN))),
      );
      const returns = trajectories.map(({ total, lossMask: own }) =>
        new Float64Array(own.length).fill(total),
      );
      const advantages = returns.map((own, i) => own.map((value, t) => value - (values[i]?.[t] ?? NaN)));
      return {
        advantages,
        returns,
        values,
        metrics: objective.estimateCriticMetrics(values, returns, lossMask),
      };
    },
    policyLoss: () =>
      objective.clippedPolicyLoss('median', {
        clipLow: 0.2,
        clipHigh: 0.2,
        dualClip: 0,
        entropyCoefficient: 0,
      }),
    valueLoss: () => objective.clippedCriticLoss('median', 0.5),
  }),
);

testEnvironment(
  defineEnvironment({
    id: 'box',
    summary: 'Open a box, then take what is in it.',
    reads: () => ({ noise: false }),
    create: () => {
      let things: readonly string[] = [];
      let isOpen = false;
      const observe = () => ({
        text: isOpen ? `The box holds ${things.join(' and ')}.` : 'The box is closed.',
        actions: isOpen ? things.map((thing) => `take ${thing}`) : ['open', 'wait'],
      });
      return {
        reset: ({ state }) => {
          things = createStream(state).shuffle(['pen', 'cup', 'key']).slice(0, 2);
          isOpen = false;
          return observe();
        },
        step: (action) => {
          const isTaken = action === `take ${things[0]}`;
          if (!observe().actions.includes(action))
            throw new Error(`no "${action}": ${observe().actions.join()}`);
          isOpen ||= action === 'open';
          return { observation: observe(), reward: isTaken ? 1 : 0, done: isTaken };
        },
        oracle: () => [...(isOpen ? [] : ['open']), `take ${things[0]}`],
      };
    },
  }),
  { oracleSolves: 1 },
);
