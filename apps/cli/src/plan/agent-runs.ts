/** @file Runs whose episodes are played by agent programs: what they ask, and how often, is not known before. */
import type { RunSpec } from '@espalier/contracts';
import { listTrained } from '@espalier/contracts/mixing';
import type { Registry } from '../workspace.js';

/** Whether programs play episodes that the run learns from. */
export const playsAgents = (spec: RunSpec, registry: Registry): boolean =>
  listTrained(spec).some(
    ({ spec: own }) => registry.get('environment', own.environment.use).agent !== undefined,
  );
