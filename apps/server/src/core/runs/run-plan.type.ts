import type { JobNeeds } from '@espalier/protocol';
import { type SpecDifference } from './comparison.type.js';

export class InertOption {
  path!: string;

  reason!: string;

  set!: boolean;
}

export class OptionSource {
  path!: string;

  source!: string;
}

/** Numbers derived from the options. */
export class DerivedNumbers {
  trajectoriesPerStep!: number;

  keptGroupsPerStep!: number;

  trajectoriesPerMiniBatch!: number;

  optimizerStepsPerStep!: number;

  optimizerSteps!: number;

  episodes!: number;
}

export class GraphSize {
  name!: string;

  nodes!: number;
}

export class ExpectedIteration {
  turnsPerEpisode!: number;

  tokensPerEpisode!: number;

  sampledTokens!: number;

  trainedTokens!: number;

  paddingShare!: number;

  collectSeconds?: number;

  updateSeconds?: number;

  secondsPerStep?: number;

  peakBytes!: number;
}

/** What `espalier plan --json` estimates. */
export class RunEstimate {
  parameters!: number;

  graphs!: readonly GraphSize[];

  tokensPerStep!: number;

  expected!: ExpectedIteration;

  modelBytes!: number;

  cacheBytes!: number;

  activationBytes!: number;

  checkpointBytes!: number;

  checkpointsBytes!: number;

  secondsPerStep?: readonly number[];

  threads!: number;
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

  estimate!: RunEstimate | null;

  estimateReason!: string | null;

  parentRunId!: string | null;

  parentStep!: number | null;

  forkPath!: string | null;

  differences!: readonly SpecDifference[];
}
