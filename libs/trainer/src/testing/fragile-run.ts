/** @file A run that explodes, for tests of the monitor's actions and of the checkpoints that they need. */
import { tinyEngine } from './tiny-run.js';

/**
 * A policy with one weight, which explodes as soon as an update moves it by more than 0.3: then no reply has the format. The
 * weight is all that it knows, so a restored checkpoint is healthy again.
 */
export const fragileEngine = () =>
  tinyEngine({
    say: (draw, weight) =>
      Math.abs(weight - 0.5) < 1 ? `${draw < weight ? 'Left' : 'Right'}</answer><end>` : 'ah<end>',
  });
/** Changes to {@link tinySpec} under which that policy explodes. */
export const exploding = (monitor: object, more: object = {}) => ({
  steps: 14,
  validation: { every: 0, atStart: false, atEnd: false },
  checkpoint: { every: 1, keep: 2 },
  update: { maxSkipped: 0 },
  optimizer: { learningRate: 4 },
  monitor,
  ...more,
});
export const rollBack = {
  onCollapse: { action: 'rollBack', change: { 'optimizer.learningRate': { times: 0.01 } } },
};
