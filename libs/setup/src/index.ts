export { installLibrary, type InstallOptions, type InstallProgress } from './install-library.js';
