export { runClock } from './run-clock.js';
export { type Provider } from './provider.js';
export { type EntryArray, type RuntimeTensor, type TensorPort, createTensor } from './runtime-tensor.js';
export { type RuntimeTensors, Session, type SessionOptions, createSession } from './session.js';
export { minRows } from './min-rows.js';
export { SessionCache } from './session-cache.js';
