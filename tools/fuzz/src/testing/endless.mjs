/** For tests: an environment that a string keeps busy for ever. Run after the build. */
import { defineEnvironment } from '@espalier/plugin-kit';
import { runEnvironment } from '../../dist/environments/run-environment.js';

const definition = defineEnvironment({
  id: 'endless',
  summary: 'Does not end.',
  create: () => ({
    reset: () => 'x',
    step: (action) => {
      while (action.includes('__proto__'));
      return { observation: 'x', valid: true, effective: true, reward: 0, done: false, success: false };
    },
    render: () => 'x',
    sampleAction: () => 'x',
  }),
});
const name = 'env/endless';
const subject = {
  name,
  definition,
  variants: [{}],
  strings: 64,
  seeds: 2,
  patienceMs: 60_000,
  isCostly: () => false,
};
await runEnvironment(subject, { seed: 2, from: 0, inputs: 640, limitMs: 500 });
