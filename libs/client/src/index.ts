export type { Connection } from './connection.js';
export { type Client, createClient } from './create-client.js';
export type { FollowOptions } from './follow-run.js';
