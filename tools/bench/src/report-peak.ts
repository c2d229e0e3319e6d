/** @file Preloaded into a process that is measured: writes its peak resident bytes to the file of BENCH_PEAK_FILE as it ends. */
import { writeFileSync } from 'node:fs';
import { peakBytes } from './row.js';

const file = process.env['BENCH_PEAK_FILE'];
if (file !== undefined) process.once('exit', () => writeFileSync(file, String(peakBytes())));
