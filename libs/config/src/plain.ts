/**
 * @file The part of this library that knows nothing of models, a door of its own: a service that reads its settings and
 * compares specs starts without loading graph, model and tokenizer.
 */
export { leaves } from './json.js';
export { editDistance, nearestKey } from './nearest-key.js';
export { resolveDeployment } from './resolve-deployment.js';
export { canonicalJson, specHash } from './spec-hash.js';
