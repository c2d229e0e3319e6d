/**
 * @file Entry point without models: a service that only reads settings and compares specs can start without loading
 * graph, model and tokenizer.
 */
export { forgetDerived } from './forget-derived.js';
export {
  findInstallation,
  findRevision,
  findWorkspace,
  type Installation,
  listVersions,
} from './installation.js';
export { leaves } from './json.js';
export { loadConfig, parseConfig } from './load-config.js';
export { applyOverrides, isOverridden } from './overrides.js';
export { resolveDeployment } from './resolve-deployment.js';
export { listSections } from './sections.js';
export { canonicalJson } from '@espalier/contracts/values';
export { specHash } from './spec-hash.js';
