/** The losses of all algorithms that ship reach a server of the Tinker API by name or as a graph. */
import { join } from 'node:path';
import { discoverPlugins } from '@espalier/plugin-host';
import { describeLosses } from '@espalier/tinker';
import { describe, expect, it } from 'vitest';

const registry = await discoverPlugins({ root: join(import.meta.dirname, '../..') });
const algorithms = registry.list().flatMap((one) => (one.kind === 'algorithm' ? [one] : []));

describe('the loss of an algorithm, on a server that computes graphs', () => {
  it.each(algorithms.map((algorithm) => [algorithm.id, algorithm] as const))(
    'is never linearised: %s',
    (_, found) => {
      const params = found.params.parse({ entropyCoefficient: 0 });
      const [sentence] = describeLosses(
        { losses: 'named' },
        found.policyLoss(params),
        { reference: false },
        true,
      );
      expect(sentence).toMatch(/is sent as (a graph of \d+ nodes|ppo|cispo)/);
    },
  );
});
