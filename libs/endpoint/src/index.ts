export { type Endpoint, type EndpointOptions, openEndpoint } from './http/endpoint.js';
export type { AnsweringPolicy } from './sample-replies.js';
export type { Session, SessionTerms } from './sessions/session.js';
export { joinRecorded, type RecordedReply } from './sessions/recorded.js';
export type { SessionOutcome, SessionRollout } from './sessions/trajectory.js';
export { chatMessages, readChatMessages } from './dialects/messages-in.js';
export { type AgentPlayer, openAgentPlayer } from './program/agent-player.js';
