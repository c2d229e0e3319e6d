/**
 * @file The labelled think blocks, and how well each rule finds what a person marked. A third of the blocks (every third
 * of each file) is held out: the rules were not changed for them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import faithfulness from '@espalier/reward-faithfulness';
import planConsistency from '@espalier/reward-plan-consistency';
import prediction from '@espalier/reward-prediction';
import type { RewardResult, Turn } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectoryOf } from '@espalier/plugin-kit/testing';
import { parse } from 'yaml';

export interface LabelledBlock {
  readonly file: string;
  readonly style: string;
  readonly isHeld: boolean;
  readonly facts: Turn['facts'];
  readonly next?: Turn['facts'];
  readonly think: string;
  /** statements about now that the facts decide */
  readonly true: number;
  readonly false: number;
  /** the moves that the writer means to make */
  readonly plan: readonly string[];
  /** commands of other turns of the episode, which a rule may mistake for the plan */
  readonly others: readonly string[];
  /** predictions that the next state decides */
  readonly right: number;
  readonly wrong: number;
}

interface WrittenBlock {
  readonly style: string;
  readonly in?: string;
  readonly facts?: Turn['facts'];
  readonly next?: string;
  readonly think: string;
  readonly true?: number;
  readonly false?: number;
  readonly plan?: string | readonly string[];
  readonly right?: number;
  readonly wrong?: number;
}

const folder = new URL('think-blocks/', import.meta.url);

/** Reads all labelled blocks. */
export function readBlocks(): LabelledBlock[] {
  return readdirSync(folder).flatMap((file) => {
    const {
      states = {},
      commands = {},
      blocks,
    } = parse(readFileSync(new URL(file, folder), 'utf8')) as {
      states?: Record<string, Turn['facts']>;
      commands?: Record<string, readonly string[]>;
      blocks: WrittenBlock[];
    };
    return blocks.map((block, index): LabelledBlock => {
      const { plan = '' } = block;
      const next = block.next === undefined ? undefined : states[block.next];
      return {
        file,
        style: block.style,
        isHeld: index % 3 === 2,
        facts: block.facts ?? states[block.in ?? ''] ?? {},
        ...(next === undefined ? {} : { next }),
        think: block.think,
        true: block.true ?? 0,
        false: block.false ?? 0,
        plan: plansOf(plan),
        others: commands[block.in ?? ''] ?? [],
        right: block.right ?? 0,
        wrong: block.wrong ?? 0,
      };
    });
  });
}

/** A list, one action with a number or brackets, or words that are a move each. */
function plansOf(plan: string | readonly string[]): readonly string[] {
  if (typeof plan !== 'string') return plan;
  return /\[| \d/.test(plan) ? [plan] : plan.split(' ').filter(Boolean);
}

/** What a rule found in a block beside what is marked in it. */
export interface Count {
  readonly found: number;
  readonly marked: number;
  readonly both: number;
}

const count = (found: number, marked: number): Count => ({ found, marked, both: Math.min(found, marked) });

function trajectoryOf(block: LabelledBlock) {
  const { plan, others, facts, next, think } = block;
  const replies = [
    sampleReply(think, plan.join(' || ')),
    ...(next === undefined ? [] : ['<answer>ok</answer>']),
  ];
  if (others.length > 0) replies.push(`<answer>${others.join(' || ')}</answer>`);
  return sampleTrajectoryOf(replies, (index) => {
    const made = index === 0 ? plan : index === replies.length - 1 ? others : [];
    return {
      stateKey: `${index}`,
      facts: index === 0 ? facts : (next ?? {}),
      think: index === 0 ? think : '',
      actions: made.map((text) => ({ text, valid: true, effective: true, reward: 0, metrics: {} })),
      parsedActions: made,
    };
  });
}

/** What each rule finds, by the metrics that its reward reports. */
export const rules: Readonly<Record<string, (block: LabelledBlock) => Count>> = {
  'true claims': (block) => count(claimsOf(block).right, block.true),
  'false claims': (block) => count(claimsOf(block).wrong, block.false),
  'planned moves': (block) => {
    const trajectory = trajectoryOf(block);
    const { metrics } = planConsistency.score(trajectory, {}) as Required<RewardResult>;
    return {
      found: Math.round((metrics['planned'] ?? 0) * trajectory.turns.length),
      marked: block.plan.length,
      both: Math.round((metrics['covered'] ?? 0) * (block.plan.length + block.others.length)),
    };
  },
  'right predictions': (block) => count(predictionsOf(block).right, block.right),
  'wrong predictions': (block) => count(predictionsOf(block).wrong, block.wrong),
};

function claimsOf(block: LabelledBlock): { right: number; wrong: number } {
  const { next: _, ...now } = block;
  const score = faithfulness.score(trajectoryOf({ ...now, others: [] }), faithfulness.params.parse({}));
  const { metrics } = score as Required<RewardResult>;
  const all = Math.round(metrics['claims'] ?? 0);
  const right = Math.round((metrics['precision'] ?? 0) * all);
  return { right, wrong: all - right };
}

function predictionsOf(block: LabelledBlock): { right: number; wrong: number } {
  if (block.next === undefined) return { right: 0, wrong: 0 };
  const score = prediction.score(trajectoryOf({ ...block, others: [] }), prediction.params.parse({}));
  const { metrics } = score as Required<RewardResult>;
  const all = Math.round((metrics['predictions'] ?? 0) * 2);
  const right = Math.round((metrics['right'] ?? 0) * all);
  return { right, wrong: all - right };
}

/** Precision and recall of a rule over blocks, as a row of a table. */
export function figures(name: string, blocks: readonly LabelledBlock[]): string {
  const rule = rules[name];
  const sum = { found: 0, marked: 0, both: 0 };
  for (const block of blocks) {
    const { found, marked, both } = rule?.(block) ?? sum;
    sum.found += found;
    sum.marked += marked;
    sum.both += both;
  }
  const share = (whole: number): string => (whole === 0 ? '–' : (sum.both / whole).toFixed(2));
  return `${sum.marked} marked, precision ${share(sum.found)}, recall ${share(sum.marked)}`;
}
