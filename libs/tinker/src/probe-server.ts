/** @file Asks a server what it can do, without a model there. */
import { AppError } from '@espalier/contracts';
import { connect } from './client/connection.js';
import { refuseTemperature } from './remote-passes.js';
import type { TinkerEngineOptions } from './tinker-engine.js';

export interface ProbedServer {
  /** longest sequence, if the server says */
  readonly contextLength: number | undefined;
  /** an `espalier engine serve` */
  readonly isOurs: boolean;
  /** computes losses that are sent as graphs */
  readonly takesGraphs: boolean;
}

/** Routes without which nothing can be trained. */
const needed = [
  'create_model',
  'forward',
  'forward_backward',
  'optim_step',
  'save_weights',
  'load_weights',
  'save_weights_for_sampler',
  'asample',
  'retrieve_future',
];

/**
 * Opens a session and closes it, and asks for the routes that training needs with requests that say nothing.
 *
 * @throws engine.unreachable, engine.overloaded, engine.denied, engine.unknown_model, engine.unsupported, engine.bad_answer
 */
export async function probeServer(
  options: Pick<TinkerEngineOptions, 'url' | 'model' | 'apiKey' | 'temperature'> & {
    readonly patienceMs: number;
  },
): Promise<ProbedServer> {
  const { url, model, apiKey, patienceMs, temperature = 1 } = options;
  const connection = await connect({ url, model, apiKey, patienceMs });
  try {
    const isOurs = connection.capabilities.espalier !== undefined;
    if (!isOurs && temperature !== 1) throw refuseTemperature(temperature);
    const found = await Promise.all(needed.map((path) => connection.hasRoute(path)));
    const missing = needed.filter((_, n) => found[n] === false);
    if (missing.length > 0)
      throw new AppError(
        'engine.unsupported',
        `probe ${url}: it has no route ${missing.join(', ')}, which training needs; it speaks another version of the Tinker API`,
      );
    return { contextLength: connection.contextLength, isOurs, takesGraphs: await connection.takesLosses() };
  } finally {
    connection.close();
  }
}
