export { type CallContext, guard, pluginFailed, type PluginLabel, type ResultCheck } from './boundary.js';
export { type BuiltInPlugin, findBuiltInPlugins } from './built-in.js';
export { discoverPlugins, type DiscoverOptions } from './discover.js';
export { findNamedPackages } from './find-packages.js';
export { guardAlgorithm } from './guard-algorithm.js';
export { guardDefinition } from './guard-definition.js';
export { guardEnvironment } from './guard-environment.js';
export { guardReward } from './guard-reward.js';
export { hashPackage } from './hash-package.js';
export { type IsolatedPlugins, isolatePlugins, type IsolationChoice } from './isolation/isolate-plugins.js';
export type { Isolation } from './isolation/protocol.js';
export type {
  AnyDefinition,
  BrokenPlugin,
  PluginKind,
  PluginOrigin,
  PluginSource,
  PluginStatus,
} from './plugin-types.js';
export { createRegistry, type InstalledPlugin, type PluginRegistry } from './registry.js';
export { startWatchdog } from './watchdog/start-watchdog.js';
