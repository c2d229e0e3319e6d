/** @file The environment: an episode on a server of somebody else. */
import { createHash } from 'node:crypto';
import {
  AppError,
  createStream,
  type EnvironmentInstance,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import { type ActionSchema, loadActionSchema, toFields } from './action-schema.js';
import {
  type Connection,
  type ConnectionOptions,
  type Observed,
  beginEpisode,
  RefusedAction,
} from './connection.js';

export interface OpenEnvOptions extends ConnectionOptions {
  readonly actionField: string | undefined;
  /** names of actions; undefined: those of the observation or the schema, or any text */
  readonly actions: readonly string[] | undefined;
  /** fields of an observation that are shown; undefined: `text`, or all */
  readonly show: readonly string[] | undefined;
  readonly successReward: number;
  /** further fields of every reset */
  readonly reset: Readonly<Record<string, unknown>>;
}

interface Episode {
  readonly schema: ActionSchema;
  readonly connection: Connection;
  observed: Observed;
  total: number;
  isDone: boolean;
}

export function createOpenEnv(options: OpenEnvOptions): EnvironmentInstance {
  let connection: Connection | undefined;
  let episode: Episode | undefined;
  let closes = 0;
  const current = (hook: string): Episode => {
    if (episode === undefined) throw new AppError('plugin.failed', `${hook}: no episode is open; call reset`);
    return episode;
  };
  return {
    async reset({ state, noise }) {
      episode = undefined;
      const closesBefore = closes;
      const schema = await loadActionSchema(options, options.actionField);
      const data = { ...options.reset, seed: state, noise_seed: noise };
      const begun = await beginEpisode(connection, data, options);
      const { observed } = begun;
      if (closes !== closesBefore) {
        // nobody else knows of this session, and the server would keep it
        begun.connection.close();
        throw new AppError(
          'plugin.failed',
          `reset at ${options.url}: the environment was closed before the episode began; call reset again`,
        );
      }
      connection = begun.connection;
      if (observed.done)
        throw new AppError(
          'plugin.failed',
          `reset at ${options.url}: the episode is over before the first action`,
        );
      episode = { schema, connection, observed, total: 0, isDone: false };
      return observe(episode, options);
    },
    step: (action) => act(current('step'), action, options),
    render: () => {
      const { observation } = current('render').observed;
      return typeof observation['render'] === 'string' && observation['render'] !== ''
        ? observation['render']
        : textOf(observation, options.show);
    },
    close() {
      closes++;
      connection?.close();
      connection = undefined;
      episode = undefined;
    },
    sampleAction(seed) {
      const { schema, observed } = current('sampleAction');
      const choices = listActions(observed, schema, options) ?? ['a', 'b', 'yes', 'no', '1'];
      const word = createStream(seed).pick(choices);
      return schema.textField === undefined ? '{}' : word;
    },
    facts: () => ({ ...current('facts').observed.observation }),
  };
}

async function act(episode: Episode, action: string, options: OpenEnvOptions): Promise<StepResult> {
  if (episode.isDone) throw new AppError('plugin.failed', 'step: the episode has ended; call reset');
  const fields = toFields(action, episode.schema);
  if (fields === undefined)
    return refuse(episode, options, `an action is a JSON object: ${episode.schema.json}`);
  const before = keyOf(episode.observed);
  try {
    episode.observed = await episode.connection.step(fields);
  } catch (error) {
    if (error instanceof RefusedAction) return refuse(episode, options, error.message);
    throw error;
  }
  const { observation, reward, done } = episode.observed;
  episode.total += reward;
  episode.isDone = done;
  const told = (name: string): boolean | undefined =>
    typeof observation[name] === 'boolean' ? observation[name] : undefined;
  return {
    observation: observe(episode, options),
    reward,
    done,
    success: done && (told('success') ?? episode.total >= options.successReward),
    valid: told('valid') ?? true,
    effective: told('effective') ?? keyOf(episode.observed) !== before,
    metrics: { refused: 0 },
  };
}

/** The server takes no such action: the state stays, and the agent is told why. */
function refuse(episode: Episode, options: OpenEnvOptions, why: string): StepResult {
  const { text, ...rest } = observe(episode, options);
  return {
    observation: { ...rest, text: `Not done: ${why.slice(0, 500)}\n${text}` },
    reward: 0,
    done: false,
    success: false,
    valid: false,
    effective: false,
    metrics: { refused: 1 },
  };
}

/** As the server tells, or what the observation says of the state; what it says of the last action is none of it. */
function keyOf({ observation }: Observed): string {
  const { state_key: told, success: _s, valid: _v, effective: _e, metrics: _m, ...state } = observation;
  if (typeof told === 'string' && told !== '') return told;
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url');
}

function observe({ observed, schema }: Episode, options: OpenEnvOptions): Observation {
  const actions = listActions(observed, schema, options);
  const legend = observed.observation['legend'];
  const isLegend =
    typeof legend === 'object' &&
    legend !== null &&
    Object.values(legend).every((value) => typeof value === 'string');
  return {
    text: textOf(observed.observation, options.show),
    stateKey: keyOf(observed),
    ...(actions === undefined ? {} : { actions }),
    ...(isLegend ? { legend: legend as Readonly<Record<string, string>> } : {}),
  };
}

function listActions(
  { observation }: Observed,
  { choices, textField }: ActionSchema,
  options: OpenEnvOptions,
): readonly string[] | undefined {
  if (options.actions !== undefined) return options.actions;
  const offered = observation['actions'];
  const isList =
    Array.isArray(offered) && offered.length > 0 && offered.every((one) => typeof one === 'string');
  return textField !== undefined && isList ? (offered as string[]) : choices;
}

/** The fields that are shown: a text as it is, several with their names; never empty. */
function textOf(observation: Observed['observation'], show: readonly string[] | undefined): string {
  const names = show ?? (typeof observation['text'] === 'string' ? ['text'] : Object.keys(observation));
  const [only, ...others] = names;
  const write = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const text =
    only !== undefined && others.length === 0
      ? write(observation[only])
      : names
          .filter((name) => observation[name] !== undefined && observation[name] !== null)
          .map((name) => `${name}: ${write(observation[name])}`)
          .join('\n');
  return text.trim() === '' ? '(nothing is shown)' : text;
}
