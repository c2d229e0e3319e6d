/**
 * @file Probes for reward hacking: three policies made of a model that cannot solve the task. What they reach, the model
 * may owe to the reward and not to the task.
 *
 * Prompt swap: the model sees another state than the one it acts in. Repeated phrase: the model's most frequent reply
 * always, in full, so that it earns what the rewards pay for it. Constant action: the model's most frequent action.
 */
import { createMessageEngine, createScriptedEngine } from '@espalier/engine';
import type { EnvironmentDefinition, EnvironmentInstance } from '@espalier/plugin-kit';
import type { PluginLookup } from '@espalier/trainer';
import { isolateRun } from '../local/isolate-run.js';
import { playConstant } from './baselines.js';
import type { Part } from './kept-parts.js';
import type { PlannedColumn } from './plan-table.js';
import type { Player, PlayRequest } from './play-table.js';
import type { Cell, Entry } from './result.js';
import { rank } from './tally.js';

/** Plays the probes of one model in one environment. */
export async function playProbes(
  model: string,
  column: PlannedColumn,
  parts: readonly Part[],
  player: Player,
  request: PlayRequest,
): Promise<Entry[]> {
  const entry = (name: string, cell: Cell): Entry => ({
    name: `${model}: ${name}`,
    kind: 'probe',
    of: model,
    trainedOn: [],
    cells: [cell],
  });
  const swapped = await player.play(column, { name: `${model}: prompt swap`, registry: swapPrompts });
  const [phrase] = rank(parts.flatMap(({ replies = [] }) => replies))[0] ?? [];
  const [action] = rank(parts.flatMap(({ actions = [] }) => actions))[0] ?? [];
  const repeated =
    phrase === undefined
      ? nothing(column, 'the model gave no reply to repeat')
      : (await player.play(column, repeat(model, phrase))).cell;
  const constant =
    action === undefined
      ? nothing(column, 'the model took no action to repeat')
      : await playAction(action, column, model, request);
  return [
    entry('prompt swap', swapped.cell),
    entry('repeated phrase', repeated),
    entry('constant action', constant),
  ];
}

const nothing = ({ label }: PlannedColumn, error: string): Cell => ({
  column: label,
  states: [],
  episodes: 0,
  failed: 0,
  error,
});

/** The phrase is written as the model wrote it, without the tag that the prompt gives already; its end of turn is added. */
const repeat = (model: string, phrase: string): Parameters<Player['play']>[1] => ({
  name: `${model}: repeated phrase`,
  engine: ({ engine: { description }, tokenizer, client }) => {
    if (client !== undefined)
      return createMessageEngine(model, async ({ opened }) => ({
        text: phrase.startsWith(opened) ? phrase.slice(opened.length) : phrase,
        isCut: false,
      }));
    const { vocabularySize, contextLength } = description;
    const encode = (text: string): Int32Array => tokenizer.encode(text);
    return createScriptedEngine({
      answer: ({ request: { tokens } }) => withoutOpened(phrase, tokenizer.decode(tokens.slice(-tagTokens))),
      encode,
      vocabularySize,
      contextLength,
    });
  },
});

/** A tag has at most as many tokens as characters, with white space behind it. */
const tagTokens = 12;

function withoutOpened(phrase: string, shown: string): string {
  const tag = ['<think>', '<answer>'].find((one) => shown.trimEnd().endsWith(one) && phrase.startsWith(one));
  return phrase.slice(tag?.length ?? 0);
}

async function playAction(
  action: string,
  { label, states, of }: PlannedColumn,
  model: string,
  { registry, split, draws, signal }: PlayRequest,
): Promise<Cell> {
  const place = of.get(model);
  if (place === undefined) throw new Error(`no plan of ${model}`);
  const plugins = await isolateRun(place.spec, registry);
  try {
    const { environment } = place;
    return await playConstant(action, {
      column: label,
      environment,
      registry: plugins,
      split,
      states,
      draws,
      signal,
    });
  } finally {
    await plugins.dispose();
  }
}

/** Shows in each state what another one looks like. */
function swapPrompts(registry: PluginLookup): PluginLookup {
  return {
    get: ((kind, id) => {
      const definition = registry.get(kind, id);
      return kind === 'environment' ? swapStates(definition as EnvironmentDefinition<unknown>) : definition;
    }) as PluginLookup['get'],
  };
}

/** Far from the seeds of neighbours, within 32 bits. */
const otherSeed = (seed: number): number => (seed + 0x9e3779b9) >>> 0;

function swapStates(definition: EnvironmentDefinition<unknown>): EnvironmentDefinition<unknown> {
  return {
    ...definition,
    create: (params) => swapInstance(definition.create(params), definition.create(params)),
  };
}

/** Everything is the own state's but the text; the other one takes the same actions as long as it lasts. */
function swapInstance(own: EnvironmentInstance, other: EnvironmentInstance): EnvironmentInstance {
  let shown = { text: '', legend: {} as Readonly<Record<string, string>> | undefined };
  let isOver = false;
  return {
    async reset(seeds) {
      const seen = await other.reset({ state: otherSeed(seeds.state), noise: otherSeed(seeds.noise) });
      isOver = false;
      shown = { text: seen.text, legend: seen.legend };
      return show(await own.reset(seeds));
    },
    async step(action) {
      if (!isOver) {
        const moved = await other.step(action);
        isOver = moved.done;
        shown = { text: moved.observation.text, legend: moved.observation.legend };
      }
      const result = await own.step(action);
      return { ...result, observation: show(result.observation) };
    },
    render: () => own.render(),
    close: async () => {
      await own.close?.();
      await other.close?.();
    },
    ...(own.facts && { facts: () => own.facts?.() ?? {} }),
  };

  function show(observation: Awaited<ReturnType<EnvironmentInstance['reset']>>) {
    const { legend: _legend, ...rest } = observation;
    return { ...rest, text: shown.text, ...(shown.legend === undefined ? {} : { legend: shown.legend }) };
  }
}
