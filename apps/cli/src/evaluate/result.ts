/** @file What an evaluation of several policies found: a table of policies by environments, and tests between them. */
import type { PairedTest } from '@espalier/rollout/estimates';
import type { Spent } from '../agents/spent.js';

/** One environment that is measured. */
export interface Column {
  readonly label: string;
  readonly environment: string;
  readonly states: number;
}

/** Who plays. */
export interface Entry {
  readonly name: string;
  /** seeds: runs of one setting together */
  readonly kind: 'model' | 'seeds' | 'baseline' | 'probe';
  /** of a probe: the model it was made of */
  readonly of?: string;
  /** of seeds: its models */
  readonly members?: readonly string[];
  /** labels of the environments that its run was trained in */
  readonly trainedOn: readonly string[];
  readonly cells: readonly Cell[];
  /** of an API agent: what the replies of its episodes, and of those of its probes, took, whenever they were paid for */
  readonly spent?: Spent & { readonly episodes: number; readonly cost?: number };
}

/** The results of one state. */
export interface StateResult {
  readonly stateSeed: number;
  readonly episodes: number;
  readonly successes: number;
  /** mean total of the score */
  readonly score: number;
}

export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One policy in one environment. */
export interface Cell {
  readonly column: string;
  readonly states: readonly StateResult[];
  readonly episodes: number;
  /** attempts, of which an episode has two */
  readonly failed: number;
  /** states that were not played, as nothing more could come of an API agent, and why */
  readonly unplayed?: number;
  readonly reason?: string;
  /** why there are no numbers */
  readonly error?: string | undefined;
  readonly success?: Estimate & { readonly interval: 'wilson' | 'bootstrap' };
  /** total of the score; of a baseline the environment's reward alone */
  readonly score?: Estimate;
  /** of seeds: the lowest and the highest success of one of them */
  readonly seeds?: { readonly lowest: number; readonly highest: number };
  /** chances that at least one, and that all, of k episodes succeed, over the states that have so many */
  readonly passes?: readonly {
    readonly k: number;
    readonly any: number;
    readonly all: number;
    readonly states: number;
  }[];
  readonly formatShare?: number;
  /** of an API agent as its endpoint counts them */
  readonly sampledTokens?: number;
  /** of the constant baseline: the action */
  readonly action?: string;
}

/** A test between two policies on the states that both played. */
export interface Comparison extends PairedTest {
  readonly column: string;
  readonly first: string;
  readonly second: string;
  readonly states: number;
  /** first − second, in success */
  readonly difference: Estimate;
  /** p after Holm's correction over all tests of the table */
  readonly adjusted: number;
}

export interface TableResult {
  readonly split: string;
  readonly draws: number;
  readonly columns: readonly Column[];
  readonly entries: readonly Entry[];
  readonly tests: readonly Comparison[];
}
