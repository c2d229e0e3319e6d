/** @file Our environments beside TextArena's, in turn: whole episodes with their resets, and steps alone. */
import { join } from 'node:path';
import { type BenchItem, type BenchRow, buildRow, median } from '../row.js';
import { root } from './command.js';
import { loadEnvironment } from './environments.js';
import { playRecorded, type Rates, recordEpisodes } from './episodes.js';
import { findMissingPackages, openPythonPeer } from './python-peer.js';
import { textArenaGames } from './textarena-games.js';

const program = join(root, 'tools', 'bench', 'src', 'items', 'play_textarena.py');

/** Rows `textarena/<id>` (steps of whole episodes), `…/step` (steps alone) and `…/episode`: our rates over theirs. */
export const besideTextArena =
  (id: string): BenchItem =>
  async (options) => {
    const missing = findMissingPackages(options, ['textarena']);
    if (missing !== undefined) return missing;
    const { theirs, options: given, play, notes } = textArenaGames[id]!;
    const definition = await loadEnvironment(id);
    const params = definition.params.parse(given);
    const recording = await recordEpisodes(definition, params, play, options.short);
    const peer = await openPythonPeer(options, program, [theirs]);
    const [turns, seconds] = options.short ? [1, 0.2] : [3, 2];
    const ours: Rates[] = [];
    const peers: Rates[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      ours.push(await playRecorded(definition, params, recording, seconds));
      peers.push(await peer.ask<Rates>(seconds));
    }
    peer.close();
    const versions = Object.entries(peer.versions).map(([name, version]) => `${name} ${version}`);
    const lengths = [ours, peers].map((rates) => median(rates.map((rate) => rate.episodes / rate.wholes)));
    const [length, theirLength] = lengths.map((steps) => Math.round(steps * 10) / 10);
    const row = (name: string, rate: keyof Rates, unit: string, said: string): BenchRow => {
      const [value = 0, other = 0] = [ours, peers].map((rates) => median(rates.map((one) => one[rate])));
      return buildRow(name, value, unit, { name: `TextArena ${theirs}, ${unit}`, value: other }, said);
    };
    return [
      row(
        `textarena/${id}`,
        'episodes',
        'steps/s',
        `resets included; ${notes}; ${length} steps an episode, theirs ${theirLength}; ${versions.join(', ')}`,
      ),
      row(`textarena/${id}/step`, 'steps', 'steps/s', 'resets not counted'),
      row(`textarena/${id}/episode`, 'wholes', 'episodes/s', 'a reset and all its steps'),
    ];
  };
