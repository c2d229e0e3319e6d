/** @file For environments with tasks and documents: records of large files, splits of tasks, a search engine. */
export { fetchFailure } from '@espalier/contracts/fetch-failure';
export { invalidData, type JsonElement, readElements, readRecords } from './data/json-elements.js';
export { openOnce } from './data/open-once.js';
export { splitTasks, taskOfSeed, type TaskSplits } from './data/task-splits.js';
export { buildSearchIndex, type SearchIndex } from './search/bm25.js';
