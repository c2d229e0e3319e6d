import type { ExternalPlugins } from '../launch/external-plugins.js';
import type { ArtifactStore } from '../server/artifact-store.js';
import type { Exchange } from '../server/connection.js';
import type { Log } from '../log.js';
import type { WorkerOptions } from '../worker-options.js';

/** What every attempt of a worker shares. */
export interface WorkerParts {
  readonly options: WorkerOptions;
  readonly cli: string;
  /** folder of run folders */
  readonly runs: string;
  /** folder of models that runs began from */
  readonly forks: string;
  readonly exchange: Exchange;
  readonly store: ArtifactStore;
  readonly plugins: ExternalPlugins;
  readonly log: Log;
}
