export {
  type DescribedModel,
  downloadDescription,
  downloadModel,
  type DownloadedModel,
  type DownloadOptions,
} from './download-model.js';
export type { DownloadProgress } from './download-progress.js';
export { type HubSettings, readHubSettings } from './hub-settings.js';
export type { WeightsHead } from './weights-head.js';
