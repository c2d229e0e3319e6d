/**
 * @file Our environments beside those of a Python package, in turn: whole episodes with their resets, and steps alone. Both
 * sides count processor time, because whoever is interrupted less often on a shared machine would otherwise look faster.
 */
import { join } from 'node:path';
import { type BenchItem, type BenchRow, buildRow, median } from '../row.js';
import { root } from './command.js';
import { loadEnvironment } from './environments.js';
import { playRecorded, processorTime, type Rates, recordEpisodes } from './episodes.js';
import type { PeerGame } from './peer-games.js';
import { findMissingPackages, openPythonPeer } from './python-peer.js';

/** A package, what Python imports of it, and the program beside this file that plays its games. */
export interface PlayedPackage {
  readonly name: string;
  readonly imports: readonly string[];
  readonly program: string;
}

/** Rows `<item>` (steps of whole episodes), `…/step` (steps alone) and `…/episode`: our rates over theirs. */
export const besidePython =
  (item: string, id: string, { name, imports, program }: PlayedPackage, game: PeerGame): BenchItem =>
  async (options) => {
    const missing = findMissingPackages(options, imports);
    if (missing !== undefined) return missing;
    const { theirs, options: given, play, notes } = game;
    const definition = await loadEnvironment(id);
    const params = definition.params.parse(given);
    const recording = await recordEpisodes(definition, params, play, options.short);
    const peer = await openPythonPeer(options, join(root, 'tools', 'bench', 'src', 'items', program), [
      theirs,
    ]);
    const [turns, seconds] = options.short ? [1, 0.2] : [3, 2];
    const ours: Rates[] = [];
    const peers: Rates[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      ours.push(await playRecorded(definition, params, recording, seconds, processorTime));
      peers.push(await peer.ask<Rates>(seconds));
    }
    peer.close();
    const versions = Object.entries(peer.versions).map((version) => version.join(' '));
    const lengths = [ours, peers].map((rates) => median(rates.map((rate) => rate.episodes / rate.wholes)));
    const [length, theirLength] = lengths.map((steps) => Math.round(steps * 10) / 10);
    const row = (rowName: string, rate: keyof Rates, unit: string, said: string): BenchRow => {
      const [value = 0, other = 0] = [ours, peers].map((rates) => median(rates.map((one) => one[rate])));
      return buildRow(rowName, value, unit, { name: `${name} ${theirs}, ${unit}`, value: other }, said);
    };
    return [
      row(
        item,
        'episodes',
        'steps/s',
        `processor time of both; resets included; ${notes}; ${length} steps an episode, theirs ${theirLength}; ${versions.join(', ')}`,
      ),
      row(`${item}/step`, 'steps', 'steps/s', 'resets not counted'),
      row(`${item}/episode`, 'wholes', 'episodes/s', 'a reset and all its steps'),
    ];
  };
