/**
 * @file Plays hostile strings in an environment: nothing is thrown but the refusal of an unknown action, no string takes more
 * than 50 ms of processor time, and nothing is shared between instances (see play-block.ts).
 */
import { deriveSeed } from '@espalier/random';
import { createTally, type FuzzReport, type FuzzRun } from '../tally.js';
import { learnGrammar } from './grammar.js';
import { findGlobalChange, listGlobals } from './globals.js';
import { type BlockEvents, playBlock } from './play-block.js';
import { recordQuiet } from './quiet.js';
import type { Subject } from './subject.js';

/**
 * Plays the strings `from … from + inputs - 1`, or a few more: strings are played in blocks, each with instances of its own,
 * so a run starts with the block that has `from`.
 */
export async function runEnvironment(subject: Subject, run: FuzzRun): Promise<FuzzReport> {
  const { seed, from, inputs } = run;
  const { definition, variants, strings, seeds } = subject;
  const prepared = await Promise.all(
    variants.map(async (params) => ({
      params,
      grammar: await learnGrammar(definition, params, seeds),
      quiet: await recordQuiet(definition, params, seeds),
    })),
  );
  const tally = createTally(subject.name, { ...run, from: from - (from % strings) });
  const globals = listGlobals();
  for (let block = Math.floor(from / strings); block * strings < from + inputs; block++) {
    const first = block * strings;
    const given = prepared[block % prepared.length]!;
    const events: BlockEvents = {
      begin: (place) => tally.begin(first + place),
      end: tally.end,
      count: (place, outcome, ms) => tally.count(first + place, outcome, ms),
    };
    const failed = await playBlock(subject, given, deriveSeed(seed, 'fuzz', subject.name, block), events);
    const finding = failed?.finding ?? findGlobalChange(globals);
    if (finding === undefined) continue;
    const { place = 0, played = [] } = failed ?? {};
    const input = Buffer.from(`${JSON.stringify({ options: given.params, played }, null, 2)}\n`);
    tally.fail({ index: first + place, input, finding, again: { from: first, inputs: strings } });
  }
  for (const { quiet } of prepared) await quiet.close();
  return tally.close();
}
