/**
 * @file Entry point without models: a service that only reads settings and compares specs can start without loading
 * graph, model and tokenizer.
 */
export {
  findInstallation,
  findPackage,
  findRevision,
  findWorkspace,
  type Installation,
  listVersions,
} from './installation.js';
export { leaves } from './json.js';
export { editDistance, nearestKey } from './nearest-key.js';
export { resolveDeployment } from './resolve-deployment.js';
export { canonicalJson, specHash } from './spec-hash.js';
