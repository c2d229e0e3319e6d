/** @file Failures of an episode, which are data of its trajectory. */
import { hasCode, type StopReason } from '@espalier/contracts';
import type { EpisodeSetup, RolloutAddress } from './rollout.js';

/** Why an episode that threw stopped. */
export function classifyFailure(thrown: unknown, signal: AbortSignal | undefined): StopReason {
  if (signal?.aborted === true) return 'cancelled';
  return hasCode(thrown, 'plugin.timeout') ? 'timeout' : 'error';
}

/** Whether an episode was not played to an end of its own, so that its rewards mean nothing. */
export const isFailedEpisode = ({ stopReason }: { readonly stopReason: StopReason }): boolean =>
  stopReason === 'error' || stopReason === 'timeout' || stopReason === 'cancelled';

/** What failed, and where: environment, turn, seeds. */
export function describeFailure(
  thrown: unknown,
  { environment, tag, level }: EpisodeSetup,
  address: RolloutAddress,
  turn: number,
): string {
  const { state, noise } = address.seeds;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const where = [tag === undefined ? [] : `tag ${tag}`, level === undefined ? [] : `level ${level}`].flat();
  const name = where.length === 0 ? environment : `${environment} (${where.join(', ')})`;
  return `environment ${name}, turn ${turn + 1} (state seed ${state}, noise seed ${noise}): ${message}`;
}
