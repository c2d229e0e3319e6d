export { type ChatFrame, deriveChatFrame } from './chat-frame.js';
export {
  type AppendedReply,
  type ContextFactory,
  createContext,
  createContextFactory,
  type EpisodeContext,
  type SampledTokens,
  validateTokenizer,
} from './context.js';
export { cutWindows } from './windows.js';
export { collectTags, joinCollections, mergeTags, type PartRequest } from './collect-tags.js';
export {
  type Collection,
  collectEpisodes,
  collectGroups,
  type CollectRequest,
  type GroupPlace,
} from './group-rollout.js';
export { isFailedEpisode } from './episode-failure.js';
export { encodeInitialPrompts, type InitialPrompt } from './initial-prompts.js';
export { type ParsedReply, type ParseOptions, parseReply } from './parse-action.js';
export { type PromptOptions, promptOptionsOf } from './prompt.js';
export { estimateChance } from './replay-noise.js';
export { type EpisodeSetup, type RolloutAddress, runEpisode } from './rollout.js';
export { type BoundReward, bindReward, type ScoredTrajectory, scoreTrajectory } from './score.js';
export { miniBatchSeed, rolloutSeeds, stateSeed } from './seeds.js';
export { rolloutMetrics } from './statistics.js';
export { withTimeLimit } from './time-limit.js';
