/** @file The state of one customer: which goal, where in the shop, and the page that is seen there. */
import { AppError, deriveSeed, type Observation, splitOfSeed } from '@espalier/plugin-kit';
import { listActions } from './actions.js';
import type { Product } from './catalogue/product.js';
import { fewestGoals, type Goal, splitGoals } from './goals.js';
import { createPlanner, type Planner } from './oracle.js';
import { nodesOf, type PageContent } from './page-nodes.js';
import { type RagenVersion, withRules } from './rules.js';
import { clickablesOf, hitsOf, startVisit, type Visit } from './session.js';
import type { Shop } from './shop.js';
import { compactText, type ObservationMode, richText, simpleText } from './views.js';

export interface WebShopOptions {
  readonly observation: ObservationMode;
  readonly version: RagenVersion;
  readonly reward: 'fractional' | 'binary';
  readonly split: 'seed' | 'train' | 'validation' | 'test';
  readonly pageSize: number;
  readonly showAttributes: boolean;
  /** opens the shop at the first reset */
  readonly open: () => Shop;
}

/**
 * The goal that a seed stands for: RAGEN's formula for the split, then its permutation.
 *
 * @throws plugin.failed where the split has no goal
 */
export function goalIndex(shop: Shop, seed: number, split: WebShopOptions['split']): number {
  const wanted = split === 'seed' ? splitOfSeed(seed).split : split;
  const { first, count } = splitGoals(shop.goals.length)[wanted];
  if (count === 0)
    throw new AppError(
      'plugin.failed',
      `reset: the split ${wanted} has no task, as the shop has only ${shop.goals.length}; give files with at least ${fewestGoals} tasks, or set \`split: train\``,
    );
  return shop.order[first + (seed % count)]!;
}

/** What an episode is, as plain JSON. */
export interface EpisodeState {
  readonly goal: number;
  readonly visit: Visit;
  /** nothing but the task has been shown */
  readonly isFirst: boolean;
}

/** A page as it is seen: content, what can be clicked, what can be done, what the agent reads. */
export interface Page extends PageContent {
  readonly goal: Goal;
  readonly clickables: readonly string[];
  readonly actions: readonly string[];
  readonly observation: Observation;
}

/** One customer. */
export class Episode {
  state: EpisodeState = { goal: 0, visit: startVisit(0), isFirst: true };
  private opened: Shop | undefined;
  private shown: { readonly state: EpisodeState; readonly page: Page } | undefined;
  private hits: { readonly key: string; readonly products: readonly Product[] } | undefined;
  private planned: { readonly goal: number; readonly planner: Planner } | undefined;

  constructor(readonly options: WebShopOptions) {}

  get shop(): Shop {
    return (this.opened ??= this.options.open());
  }

  begin(seed: number): void {
    const goal = goalIndex(this.shop, seed, this.options.split);
    const visit = startVisit(deriveSeed('webshop', 'random products', seed));
    this.state = { goal, visit, isFirst: true };
  }

  /** Goes where a click or a search leads. */
  move(visit: Visit): void {
    this.state = { ...this.state, visit, isFirst: false };
  }

  /** The page; a state is never changed, so its page is made once. */
  page(): Page {
    if (this.shown?.state !== this.state) this.shown = { state: this.state, page: this.makePage() };
    return this.shown.page;
  }

  planner(): Planner {
    const { goal } = this.state;
    if (this.planned?.goal !== goal)
      this.planned = {
        goal,
        planner: createPlanner(this.shop, this.shop.goals[goal]!, this.options),
      };
    return this.planned.planner;
  }

  private makePage(): Page {
    const { shop, options } = this;
    const { visit } = this.state;
    const goal = shop.goals[this.state.goal]!;
    const found = visit.page === 'results' ? this.find(visit) : [];
    const start = (visit.number - 1) * options.pageSize;
    const content: PageContent = {
      visit,
      instruction: goal.instruction,
      product: shop.byAsin.get(visit.asin),
      shown: found.slice(start, start + options.pageSize),
      total: found.length,
    };
    const clickables = clickablesOf(visit, content.product, content.shown, options);
    const actions = listActions(clickables, visit.page === 'index');
    const text = this.write(content, clickables, actions);
    return { ...content, goal, clickables, actions, observation: { text, stateKey: text } };
  }

  private write(content: PageContent, clickables: readonly string[], actions: readonly string[]): string {
    const { observation, pageSize, version } = this.options;
    if (observation === 'compact') return compactText(content, clickables, pageSize);
    if (this.state.isFirst) return withRules(`Instruction: ${content.instruction}`, version, actions);
    const nodes = nodesOf(content, this.options);
    const page = observation === 'text' ? simpleText(nodes) : richText(nodes, content.visit);
    return withRules(page, version, actions);
  }

  /** What the last search found; it is kept while pages are turned. */
  private find(visit: Visit): readonly Product[] {
    const key = JSON.stringify([visit.keywords, visit.seed]);
    if (this.hits?.key !== key) this.hits = { key, products: hitsOf(visit, this.shop) };
    return this.hits.products;
  }
}
