/** @file Our environments beside TextArena's, in turn: steps per second of whole episodes, resets included. */
import { join } from 'node:path';
import { type BenchItem, buildRow, median } from '../row.js';
import { root } from './command.js';
import { loadEnvironment } from './environments.js';
import { playRecorded, recordEpisodes } from './episodes.js';
import { findMissingPackages, openPythonPeer } from './python-peer.js';
import { textArenaGames } from './textarena-games.js';

const program = join(root, 'tools', 'bench', 'src', 'items', 'play_textarena.py');

/** Row `textarena/<id>`: our rate over theirs. */
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
    const rates: { readonly ours: number; readonly peer: number }[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const { episodes } = await playRecorded(definition, params, recording, seconds);
      rates.push({ ours: episodes, peer: await peer.ask<number>(seconds) });
    }
    peer.close();
    const baseline = { name: `TextArena ${theirs}, steps/s`, value: median(rates.map((rate) => rate.peer)) };
    const versions = Object.entries(peer.versions).map(([name, version]) => `${name} ${version}`);
    const ours = median(rates.map((rate) => rate.ours));
    const said = `resets included; ${notes}; ${versions.join(', ')}`;
    return [buildRow(`textarena/${id}`, ours, 'steps/s', baseline, said)];
  };
