export { askForPlugin, type GivenPlugin } from './ask-for-plugin.js';
export {
  createPlugin,
  describeNextSteps,
  type PluginKind,
  pluginKinds,
  type PluginRequest,
} from './create-plugin.js';
export { findKitTarballs } from './kit-tarballs.js';
