/**
 * @file One catalogue process for the servers of a test process that have the plugins of this clone: it takes a second of
 * processor time to begin, and knows nothing of its server. A server with a root or limits of its own has its own process.
 */
import type { ServerOptions } from '@espalier/server';
import { type CatalogueLink, startCatalogue } from '../../apps/server/src/core/plugins/catalogue-link.js';
import type { PluginCatalogue } from '../../apps/server/src/core/plugins/plugin-catalogue.service.js';

let running: CatalogueLink | undefined;
/** of the first server that shared */
let callSeconds: number | undefined;
let starting: Promise<CatalogueLink> | undefined;

/** Lets a server's catalogue use the process of all. */
export function shareCatalogue(catalogue: PluginCatalogue, { root, plugins }: ServerOptions): void {
  if (root !== '' || plugins.passEnvironment.length > 0) return;
  callSeconds ??= plugins.callSeconds;
  if (plugins.callSeconds !== callSeconds) return;
  Object.assign(catalogue, { link: () => link(catalogue.root, plugins.callSeconds * 1000) });
}

/** The process, after starting it if there is none or it has ended. */
async function link(root: string, limitMs: number): Promise<CatalogueLink> {
  if (running?.isAlive === true) return running;
  starting ??= startCatalogue(root, limitMs, []).finally(() => (starting = undefined));
  return (running = await starting);
}
