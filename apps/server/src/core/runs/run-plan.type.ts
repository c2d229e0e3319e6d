import type { JobNeeds } from '@espalier/protocol';
import { type SpecDifferenceType } from './comparison.type.js';

export class InertOption {
  path!: string;

  reason!: string;

  set!: boolean;
}

export class RunPlan {
  name!: string;

  project!: string;

  spec!: Record<string, unknown>;

  specHash!: string;

  sources!: Readonly<Record<string, string>>;

  derived!: DerivedNumbers;

  inert!: readonly InertOption[];

  steps!: number;

  needs!: JobNeeds;

  plugins!: readonly object[];

  warnings!: readonly string[];

  estimate!: Readonly<Record<string, unknown>> | null;

  estimateReason!: string | null;

  parentRunId!: string | null;

  parentStep!: number | null;

  forkPath!: string | null;

  differences!: readonly SpecDifferenceType[];
}
