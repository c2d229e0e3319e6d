export { decodePiece, deriveChatFrame, encodePiece } from './chat-frame.js';
export type { EpisodePlayer, PlayedEpisode } from './episode-player.js';
export { forcedTag, systemText, templateVariables } from './prompt.js';
export { countThinkTokens, findTextEnds } from './text-ends.js';
