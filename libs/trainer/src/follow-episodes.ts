/**
 * @file Episodes that can be followed while they are played: those of a step, and where steps are short not of every step.
 * What changed is told twice a second, a bounded number of turns and characters each time, those first that were not told of
 * for longest, so that following costs little however many there are.
 */
import type { EventSink } from '@espalier/contracts';
import { inFlightLimits, type TurnInFlight } from '@espalier/contracts/in-flight';
import type { EpisodeSetup } from '@espalier/rollout';

type OnTurn = NonNullable<EpisodeSetup['onTurn']>;

/** between the beginnings of two steps that are followed */
const restMs = 2000;
/** What is told at once, and how long nothing is told after it. Workers send 256 KiB a second. */
const portion = { turns: 64, characters: 96 * 1024, restMs: 500 };
/** of an episode, that may wait */
const waitingTurns = 8;

export interface FollowedEpisodes {
  readonly onTurn: OnTurn;
  /** Tells a sink from now on, if it follows. */
  tell(sink: EventSink): void;
  /** Tells nobody any more. */
  stop(): void;
}

interface Episode {
  /** how often it was tried before */
  readonly retry: number;
  /** the newest turn whose state was told */
  shown: number;
  /** of the turns that are over */
  reward: number;
  /** turns that changed since they were told, oldest first */
  readonly waiting: Map<number, TurnInFlight>;
}

/** Creates what tells of episodes; it tells nobody before `tell`. @param now milliseconds since the epoch */
export function followEpisodes(now: () => number): FollowedEpisodes {
  let sink: EventSink | undefined;
  let step = -1;
  let startedAt = Number.NEGATIVE_INFINITY;
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const episodes = new Map<string, Episode>();
  /** with something to tell, the ones that wait longest first */
  const changed = new Set<string>();

  const isFollowed = (of: number): boolean => {
    if (of === step) return true;
    if (now() - startedAt < restMs) return false;
    step = of;
    startedAt = now();
    episodes.clear();
    changed.clear();
    return true;
  };
  const schedule = (): void => {
    if (timer !== undefined || changed.size === 0) return;
    timer = setTimeout(tellPortion, Math.max(0, Math.min(portion.restMs, toldAt + portion.restMs - now())));
    // a run that is over does not wait for it
    timer.unref();
  };
  const tellPortion = (): void => {
    timer = undefined;
    toldAt = now();
    const turns = takePortion(episodes, changed);
    if (turns.length > 0) sink?.follow?.(turns);
    schedule();
  };
  return {
    tell: (to) => void (sink = to),
    stop() {
      clearTimeout(timer);
      sink = undefined;
    },
    onTurn(address, turn) {
      if (sink?.follow === undefined || !isFollowed(address.step)) return;
      const id = `${address.split}/${step}/${address.group}/${address.index}`;
      const episode = findEpisode(episodes, id, address.retry);
      if (episode === undefined) return;
      note(episode, toTold(episode, { id, step, time: now() }, turn));
      changed.add(id);
      schedule();
    },
  };
}

/** The episode of a turn; an episode that is tried again begins anew. Undefined: there are too many. */
function findEpisode(episodes: Map<string, Episode>, id: string, retry: number): Episode | undefined {
  const known = episodes.get(id);
  if (known?.retry === retry) return known;
  if (known === undefined && episodes.size >= inFlightLimits.episodes) return undefined;
  const fresh: Episode = { retry, shown: -1, reward: 0, waiting: new Map() };
  episodes.set(id, fresh);
  return fresh;
}

function toTold(
  episode: Episode,
  of: Pick<TurnInFlight, 'id' | 'step' | 'time'>,
  { environment, index, observation, render, image, response, played, ended }: Parameters<OnTurn>[1],
): TurnInFlight {
  const reward = played?.reward ?? 0;
  episode.reward += reward;
  return {
    ...of,
    environment,
    turn: index,
    phase: played !== undefined ? 'over' : response !== undefined ? 'acting' : 'sampling',
    observation,
    render,
    image: image ?? null,
    response: played?.response ?? response ?? null,
    actions: played?.actions.map(({ text }) => text) ?? [],
    reward,
    totalReward: episode.reward,
    ended: ended ?? null,
  };
}

function note({ waiting }: Episode, turn: TurnInFlight): void {
  waiting.set(turn.turn, turn);
  const [oldest] = waiting.keys();
  if (waiting.size > waitingTurns && oldest !== undefined) waiting.delete(oldest);
}

/** Takes what is told at once: of each episode its newest turns, of all of them where there is room. */
function takePortion(episodes: ReadonlyMap<string, Episode>, changed: Set<string>): TurnInFlight[] {
  const told: TurnInFlight[] = [];
  const each = Math.max(1, Math.floor(portion.turns / changed.size));
  let characters = 0;
  for (const id of changed) {
    if (told.length + each > portion.turns || characters > portion.characters) break;
    changed.delete(id);
    const episode = episodes.get(id);
    for (const turn of [...(episode?.waiting.values() ?? [])].slice(-each)) {
      const isShown = episode?.shown === turn.turn;
      const next = isShown ? { ...turn, observation: null, render: null, image: null } : turn;
      if (episode !== undefined) episode.shown = turn.turn;
      characters += charactersOf(next);
      told.push(next);
    }
    episode?.waiting.clear();
  }
  return told;
}

function charactersOf({ observation, render, response, image }: TurnInFlight): number {
  const { text, image: most } = inFlightLimits;
  const texts = [observation, render, response].map((one) => Math.min(one?.length ?? 0, text));
  return texts.reduce(
    (sum, length) => sum + length,
    image !== null && image.length <= most ? image.length : 0,
  );
}
