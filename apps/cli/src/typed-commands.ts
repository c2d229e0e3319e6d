/** @file Commands in texts of libraries, which cannot know how this program was called, as a person would type them here. */
import { calledAs } from './parse-arguments.js';

/** Prose writes Espalier. */
const command = /(?<![\w/.@-])espalier (?=[a-z])(?!server\b)/g;

/** Writes commands such as "espalier setup cuda" in the words that called this program. */
export const asTyped = (text: string): string => text.replaceAll(command, () => `${calledAs()} `);
