/** @file The environment: visits to a shop as episodes. */
import { createStream, type EnvironmentInstance, type StepResult } from '@espalier/plugin-kit';
import { isListed, parseAction } from './actions.js';
import { priceTag } from './catalogue/product.js';
import { Episode, type EpisodeState, type Page, type WebShopOptions } from './episode.js';
import { explainPlan } from './explain.js';
import { pagePicture } from './picture.js';
import { click, search, type Visit } from './session.js';
import { compactPage } from './views.js';

/** Creates one customer; `reset` gives the task. */
export function createWebShop(options: WebShopOptions): EnvironmentInstance {
  const episode = new Episode(options);
  return {
    reset: ({ state }) => {
      episode.begin(state);
      return episode.page().observation;
    },
    step: (action) => act(episode, action),
    render: () => {
      const page = episode.page();
      const lines = compactPage(page, page.clickables, options.pageSize);
      return [page.instruction, '-'.repeat(40), ...lines, ...receipt(page.visit)].join('\n');
    },
    picture: () => pagePicture(episode.page(), options),
    oracle: () => episode.planner().plan(episode.state.visit),
    sampleAction: (seed) => sampleAction(episode.page(), seed),
    explain: ([action = '']) => {
      const page = episode.page();
      return explainPlan(action, page, page.goal, episode.planner());
    },
    facts: () => factsOf(episode.page()),
    snapshot: () => episode.state,
    restore: (snapshot) => {
      episode.state = snapshot as EpisodeState;
    },
  };
}

function act(episode: Episode, action: string): StepResult {
  const { version, reward } = episode.options;
  const before = episode.page();
  const { visit } = before;
  const wasDone = visit.page === 'done';
  const { name, argument } = parseAction(action) ?? { name: '', argument: '' };
  const isSearch = name === 'search' && !wasDone;
  const isClick = name === 'click' && argument !== 'search' && before.clickables.includes(argument);
  const valid =
    version === 'r1' ? isListed(action, before.actions) : isClick || (isSearch && visit.page === 'index');
  if (isSearch) episode.move(search(visit, argument));
  else if (isClick) episode.move(click(visit, argument, episode.shop, before.goal, episode.options));
  const { visit: after, observation, goal } = episode.page();
  const parts = after.reward;
  const total = wasDone ? 0 : (parts?.total ?? 0);
  return {
    observation,
    reward: reward === 'fractional' ? total : total === 1 ? 1 : 0,
    done: after.page === 'done',
    success: parts?.total === 1,
    valid,
    effective: observation.stateKey !== before.observation.stateKey,
    ...(parts !== null && {
      metrics: {
        raw_reward: parts.total,
        type_factor: parts.typeFactor,
        attributes_found: parts.attributes / goal.attributes.length,
        options_chosen: goal.options.length === 0 ? 1 : parts.options / goal.options.length,
        price_kept: parts.price ? 1 : 0,
      },
    }),
  };
}

/** One of the listed actions; a search is for two words of the task. */
function sampleAction({ actions, instruction }: Page, seed: number): string {
  const stream = createStream(seed);
  if (actions.length === 0) return 'click[buy now]';
  const action = stream.pick(actions);
  if (action !== 'search[<content>]') return action;
  const words = instruction.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return `search[${stream.pick(words)} ${stream.pick(words)}]`;
}

function factsOf({ visit, goal, shown, total, product }: Page): Readonly<Record<string, unknown>> {
  return {
    page: visit.page === 'sub' ? visit.sub : visit.page,
    goal: {
      instruction: goal.instruction,
      attributes: [...goal.attributes],
      options: goal.options.map(({ name, value }) => ({ name, value })),
      // null where the instruction names no limit
      highestPrice: goal.priceUpper >= 1_000_000 ? null : goal.priceUpper,
    },
    results: shown.map((one) => ({ asin: one.asin, price: priceTag(one) })),
    found: total,
    product:
      product === undefined
        ? null
        : { asin: product.asin, price: priceTag(product), chosen: Object.fromEntries(visit.chosen) },
  };
}

/** What a purchase earned, for people. */
function receipt({ reward }: Visit): readonly string[] {
  if (reward === null) return [];
  const { total, typeFactor, attributes, options, price } = reward;
  return [
    `Score ${total.toFixed(2)}: ${attributes} attributes, ${options} options, price ${price ? 'kept' : 'exceeded'}, type × ${typeFactor}.`,
  ];
}
