import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSweep } from '@espalier/config/sweep';
import { describe, expect, it } from 'vitest';
import { planVariants } from '../../apps/cli/src/sweep/plan-sweep.js';

const folder = fileURLToPath(new URL('../../config/recipes/', import.meta.url));
// nothing is trained or timed, so nothing is said
const console = { note: (text: string) => expect(text).toBe('') } as Parameters<
  typeof planVariants
>[1]['console'];

describe('recipes', () => {
  it.each(readdirSync(folder))(
    '%s can be planned, every variant of it',
    { timeout: 60_000 },
    async (name) => {
      const { variants } = loadSweep(join(folder, name));
      const plans = await planVariants(variants, { threads: 1, isTimed: false, console });
      expect(plans.map((plan) => plan.name)).toEqual(variants.map((variant) => variant.name));
      expect(plans.every(({ steps }) => steps > 0)).toBe(true);
    },
  );
});
