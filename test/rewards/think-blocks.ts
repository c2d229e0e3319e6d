/**
 * @file The labelled think blocks. A third of them (every third of each file) is held out: the rules were not changed for
 * these.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Turn } from '@espalier/plugin-kit';
import type { ClaimKind } from '@espalier/plugin-kit/reasoning';
import { parse } from 'yaml';

export interface LabelledBlock {
  readonly file: string;
  readonly style: string;
  readonly isHeld: boolean;
  readonly facts: Turn['facts'];
  readonly next?: Turn['facts'];
  readonly think: string;
  /** kinds of the statements about now that the facts decide */
  readonly true: readonly ClaimKind[];
  readonly false: readonly ClaimKind[];
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
  readonly true?: string;
  readonly false?: string;
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
        true: wordsIn(block.true) as ClaimKind[],
        false: wordsIn(block.false) as ClaimKind[],
        plan: plansOf(plan),
        others: commands[block.in ?? ''] ?? [],
        right: block.right ?? 0,
        wrong: block.wrong ?? 0,
      };
    });
  });
}

const wordsIn = (text = ''): string[] => text.split(' ').filter(Boolean);

/** A list, one action with a number or brackets, or words that are a move each. */
function plansOf(plan: string | readonly string[]): readonly string[] {
  if (typeof plan !== 'string') return plan;
  return /\[| \d/.test(plan) ? [plan] : wordsIn(plan);
}
