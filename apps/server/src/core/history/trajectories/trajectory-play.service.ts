/**
 * @file Plays stored trajectories on by hand. Nothing is kept between calls: each brings the environment to the turn
 * again, so that a state is named by its trajectory, its turn and the actions.
 */
import { AppError, type RunSpec } from '@espalier/contracts';
import { listEnvironments } from '@espalier/contracts/mixing';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Run } from '../../database/entities/run.js';
import type { PlayedState } from '../../plugins/catalogue-messages.js';
import { mostActionCharacters, mostPlayedActions } from '../../plugins/environment-play.service.js';
import { PluginCatalogue } from '../../plugins/plugin-catalogue.service.js';
import { TrajectoryQueries } from './trajectory-queries.service.js';

export const playTrajectoryRequest = z.strictObject({
  trajectory: z.string().max(200).describe('split/step/group/index'),
  turn: z.int().min(0).describe('turn, from 0'),
  actions: z.array(z.string()).default([]).describe('actions to take in this state, in order'),
});

@Injectable()
export class TrajectoryPlay {
  constructor(
    private readonly queries: TrajectoryQueries,
    private readonly catalogue: PluginCatalogue,
  ) {}

  /**
   * The state of a turn, after actions by hand.
   *
   * @throws server.not_found, server.invalid_input, trajectory.not_stored, rollout.not_repeatable, plugin.not_found
   */
  async play(
    { id: runId, spec: stored }: Pick<Run, 'id' | 'spec'>,
    id: string,
    {
      turn,
      actions,
      keyId,
    }: { readonly turn: number; readonly actions: readonly string[]; readonly keyId: string },
    signal?: AbortSignal,
  ): Promise<PlayedState> {
    const refuse = (finding: string): AppError =>
      new AppError('server.invalid_input', `play ${id.slice(0, 100)} of run ${runId} on: ${finding}`);
    if (actions.length > mostPlayedActions || actions.some((text) => text.length > mostActionCharacters))
      throw refuse(
        `at most ${mostPlayedActions} actions of ${mostActionCharacters} characters; start from a later turn`,
      );
    const {
      stored: { seeds, turns, environmentTag, level },
    } = await this.queries.read(await this.queries.find(runId, id), keyId, signal);
    if (turn < 0 || turn >= turns.length)
      throw refuse(
        turns.length === 0
          ? 'it failed before its first turn; choose another'
          : `it has no turn ${turn}; its turns are 0..${turns.length - 1}`,
      );
    const spec = stored as unknown as RunSpec;
    const chosen = listEnvironments(spec).find((one) => one.tag === environmentTag && one.level === level);
    if (chosen === undefined)
      throw refuse(`the spec of the run has no environment ${environmentTag ?? ''}; play it elsewhere`);
    return this.catalogue.play({
      environment: chosen.spec.environment as PlayEnvironment,
      seeds,
      trajectory: {
        id,
        seeds,
        turns: turns.map(({ stateKey, actions: taken }) => ({
          stateKey,
          actions: taken.map(({ text }) => ({ text })),
        })),
      },
      turn,
      actions,
      timeoutMs: chosen.spec.rollout.environmentTimeoutMs,
    });
  }
}

type PlayEnvironment = { readonly use: string } & Readonly<Record<string, unknown>>;
