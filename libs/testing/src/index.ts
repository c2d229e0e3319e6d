export * from './golden-folder.js';
