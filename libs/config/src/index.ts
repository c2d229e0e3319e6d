export { findAdapterBase } from './adapter-base.js';
export { deriveNumbers } from './derive.js';
export { forgetDerived } from './forget-derived.js';
export type { InertOption } from './inert.js';
export {
  findInstallation,
  findRevision,
  findWorkspace,
  type Installation,
  listVersions,
} from './installation.js';
export { leaves } from './json.js';
export { type ConfigInput, loadConfig, type Origin, parseConfig } from './load-config.js';
export { applyOverrides } from './overrides.js';
export { findPlugin, resolvePluginOptions } from './plugin-options.js';
export type { Problem } from './problems.js';
export type {
  ConfigurableAlgorithm,
  ConfigurableEnvironment,
  ConfigurablePlugin,
  ModelLimits,
  PluginKind,
  PluginRegistry,
} from './registry.js';
export { resolveDeployment } from './resolve-deployment.js';
export { type FoundModel, type ResolvedRun, resolveRunSpec } from './resolve-run-spec.js';
export { resolveWarmStartSpec } from './resolve-warm-start-spec.js';
export { generateRunSpecSchema, generateWarmStartSchema } from './run-spec-json-schema.js';
export type { ValueSource } from './sources.js';
export { canonicalJson } from '@espalier/contracts/values';
export { specHash } from './spec-hash.js';
