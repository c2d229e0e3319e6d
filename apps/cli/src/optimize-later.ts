/**
 * @file Lets V8 optimize a function after some seven times as many bytecodes as by default, for this whole process. A command
 * begins by running thousands of functions a few times each, and compiling those again takes a sixth of its start. A hot
 * loop reaches the higher number within milliseconds.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--interrupt-budget=500000');
