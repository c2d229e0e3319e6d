// Builds the page of the server (apps/dashboard) with Vite, unless what it is made of has not changed, and compresses its
// files once, so that the server only sends bytes. Part of `npm run build`; needs the compiled libraries.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { root } from './steps.mjs';

const folder = join(root, 'apps', 'dashboard');
const dist = join(folder, 'dist');
const sources = ['apps/dashboard/src', 'libs/client/dist', 'libs/contracts/dist'].map((path) =>
  join(root, path),
);
const single = ['package-lock.json', 'apps/dashboard/index.html', 'apps/dashboard/vite.config.ts'];

/** Files below a folder, in order. */
function filesIn(path) {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.([cm]?[jt]sx?|css|svg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

const hash = createHash('sha256');
for (const path of [...single.map((name) => join(root, name)), ...sources.flatMap(filesIn)])
  hash.update(path.slice(root.length)).update(readFileSync(path));
const digest = hash.digest('hex');
const mark = join(dist, '.built');
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== digest) {
  const { build } = await import('vite');
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });
  const assets = join(dist, 'assets');
  for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
    const path = join(assets, name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
  }
  writeFileSync(mark, digest);
}
