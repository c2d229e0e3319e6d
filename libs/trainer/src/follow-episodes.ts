/**
 * @file Episodes that can be followed while they are played: the first few of the first group of a step, and where steps are
 * short not of every step, so that what is sent stays small beside the trajectories that are stored.
 */
import type { EventSink } from '@espalier/contracts';
import type { EpisodeSetup } from '@espalier/rollout';

const followedGroup = 0;
const followedEpisodes = 4;
/** between the beginnings of two steps that are followed */
const restMs = 2000;

export interface FollowedEpisodes {
  readonly onTurn: NonNullable<EpisodeSetup['onTurn']>;
  /** Tells a sink from now on, if it follows. */
  tell(sink: EventSink): void;
}

/** Creates what tells of episodes; it tells nobody before `tell`. @param now milliseconds since the epoch */
export function followEpisodes(now: () => number): FollowedEpisodes {
  let sink: EventSink | undefined;
  let step = -1;
  let startedAt = Number.NEGATIVE_INFINITY;
  const isFollowed = (of: number): boolean => {
    if (of === step) return true;
    if (now() - startedAt < restMs) return false;
    step = of;
    startedAt = now();
    return true;
  };
  return {
    tell: (to) => void (sink = to),
    onTurn({ split, step: of, group, index, retry }, turn) {
      const { environment, observation, render, image, played, ended } = turn;
      if (sink?.follow === undefined || group !== followedGroup || index >= followedEpisodes) return;
      if (retry > 0 || !isFollowed(of)) return;
      sink.follow({
        time: now(),
        step: of,
        id: `${split}/${of}/${group}/${index}`,
        environment,
        turn: turn.index,
        observation,
        render,
        image: image ?? null,
        response: played?.response ?? null,
        actions: played?.actions.map(({ text }) => text) ?? [],
        reward: played?.reward ?? 0,
        ended: ended ?? null,
      });
    },
  };
}
