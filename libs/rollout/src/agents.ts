export { decodePiece, encodePiece } from './chat-frame.js';
export type { EpisodePlayer, PlayedEpisode } from './episode-player.js';
export { templateVariables } from './prompt.js';
export { findTextEnds } from './text-ends.js';
