export { type CallContext, guard, pluginFailed, type PluginLabel, type ResultCheck } from './boundary.js';
export type { AnyDefinition, PluginKind, PluginSource } from './definition-kinds.js';
export { discoverPlugins, type DiscoverOptions, guardDefinition } from './discover.js';
export { guardAlgorithm } from './guard-algorithm.js';
export { guardEnvironment } from './guard-environment.js';
export { guardModel, guardReward } from './guard-reward.js';
export { createRegistry, type InstalledPlugin, type PluginRegistry } from './registry.js';
