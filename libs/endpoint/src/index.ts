export { type Endpoint, type EndpointOptions, openEndpoint } from './http/endpoint.js';
export type { AnsweringPolicy } from './sample-replies.js';
export type { Session, SessionTerms } from './sessions/session.js';
export type { SessionRollout } from './sessions/trajectory.js';
export { type AgentPlayer, openAgentPlayer } from './program/agent-player.js';
