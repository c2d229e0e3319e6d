/** @file Runs one bench item in this process: `run-item.js NAME OPTIONS FILE`. */
import { writeFileSync } from 'node:fs';
import type { BenchOptions } from './row.js';
import { benchItems } from './items.js';

const [name = '', options = '{}', file = ''] = process.argv.slice(2);
const load = benchItems[name];
if (load === undefined) throw new Error(`bench: no item "${name}"`);
const item = await load();
const rows = await item(JSON.parse(options) as BenchOptions);
writeFileSync(file, JSON.stringify(rows));
