export * from './families/llama-config.js';
