export { type EnvironmentSuiteOptions, testEnvironment } from './environment.suite.js';
