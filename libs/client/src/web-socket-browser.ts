/** @file The WebSocket of a browser. */
export const WebSocket = (globalThis as { WebSocket?: unknown }).WebSocket;
