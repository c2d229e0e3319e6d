export * from './chat-frame.js';
export * from './context.js';
export * from './protocol.js';
