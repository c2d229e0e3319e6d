/** @file Environments, played by hand on the server. */
import { PlayEnvironmentDocument, type PlayEnvironmentQuery } from './generated/operations.js';
import type { Answered, Transport } from './transport.js';

/** An environment, its seeds, and actions to take. */
export interface EnvironmentPlay {
  /** as a spec chooses it: `use`, and its options */
  readonly environment: { readonly use: string } & Readonly<Record<string, unknown>>;
  /** of the initial state; default: 0 */
  readonly seed?: number;
  /** of the environment's chance; default: as `seed` */
  readonly noiseSeed?: number;
  readonly actions?: readonly string[];
}

export interface EnvironmentsApi {
  /** The state after the actions; nothing is stored. */
  play(play: EnvironmentPlay): Promise<Answered<PlayEnvironmentQuery>['playEnvironment']>;
}

/** Creates the calls about environments. */
export function createEnvironmentsApi({ request }: Transport): EnvironmentsApi {
  return {
    async play({ environment, seed = 0, noiseSeed, actions = [] }) {
      const variables = { environment, seed, noiseSeed: noiseSeed ?? null, actions: [...actions] };
      return (await request(PlayEnvironmentDocument, variables)).playEnvironment;
    },
  };
}
