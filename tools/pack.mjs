// npm run pack -- [--out <folder>] [--this-platform]: the tarballs of all packages that are published, from what was built.
//
// Each is staged first: compiled files that have a source, README and LICENSE; no tests, no maps, no traces of builds.
// ONNX Runtime is bundled with @espalier/runtime without its install script, which downloads libraries for CUDA from
// NuGet even where there is no GPU: `npm install espalier` then needs nothing but the registry. --this-platform leaves
// out its libraries for other platforms.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './steps.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, '.cache', 'packages') },
    'this-platform': { type: 'boolean', default: false },
  },
});
const out = resolve(values.out);
const stage = join(out, 'stage');
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });

const folders = readJson(root).workspaces.flatMap((pattern) => findFolders(pattern));
const published = folders.filter((folder) => readJson(folder).private !== true);
const staged = published.map(stagePackage);
const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', out, ...staged];
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const report = JSON.parse(
  execFileSync(npm, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  }),
);
rmSync(stage, { recursive: true });
const packed = Array.isArray(report) ? report : Object.values(report);
for (const { name, version, filename, size } of packed)
  console.log(
    `${`${name}@${version}`.padEnd(44)} ${(size / 2 ** 20).toFixed(2).padStart(7)} MiB  ${filename}`,
  );

// a pattern of workspaces, such as libs/*, gives every folder with a package.json
function findFolders(pattern) {
  const depth = pattern.split('/').length - 1;
  let found = [join(root, pattern.split('/')[0])];
  for (let level = 0; level < depth; level++)
    found = found.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return found.filter((folder) => existsSync(join(folder, 'package.json'))).sort();
}

function readJson(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Copies what is published of a package. */
function stagePackage(folder) {
  const manifest = readJson(folder);
  const target = join(stage, manifest.name.replace('@', '').replace('/', '-'));
  mkdirSync(target);
  const left = manifest.files
    .filter((name) => name.startsWith('!'))
    .map((name) => join(folder, name.slice(1)));
  for (const name of manifest.files.filter((name) => !name.startsWith('!'))) {
    const source = existsSync(join(folder, name)) ? join(folder, name) : join(root, name);
    const isWanted = (path) =>
      !left.some((one) => path === one || path.startsWith(`${one}${sep}`)) && isPublished(path, folder);
    cpSync(source, join(target, name), { recursive: true, filter: isWanted });
  }
  const hasReadme = existsSync(join(folder, 'README.md'));
  if (hasReadme) cpSync(join(folder, 'README.md'), join(target, 'README.md'));
  else if (manifest.name === 'espalier') cpSync(join(root, 'README.md'), join(target, 'README.md'));
  else writeFileSync(join(target, 'README.md'), `# ${manifest.name}\n\n${manifest.description}.\n`);
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  if ('onnxruntime-node' in (manifest.dependencies ?? {})) bundleRuntime(target, manifest);
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(withoutSources(manifest, target), null, 2)}\n`,
  );
  return target;
}

/** Compiled files count where their source is still there; of the documentation only what is read is taken. */
function isPublished(path, folder) {
  const inDocs = relative(join(root, 'docs'), path);
  if (!inDocs.startsWith('..')) return /^($|(learn|use|reference)($|\/))/.test(inDocs.split(sep).join('/'));
  const inDist = relative(join(folder, 'dist'), path);
  if (inDist.startsWith('..') || !/\.\w+$/.test(path)) return !path.endsWith('.tsbuildinfo');
  // a page is built into files without a source of the same name
  if (existsSync(join(folder, 'vite.config.ts'))) return !path.endsWith('.built');
  const stem = inDist.replace(/(\.d)?\.[cm]?[jt]s$/, '');
  return (
    /\.[cm]?[jt]s$/.test(path) &&
    ['.ts', '.tsx'].some((end) => existsSync(join(folder, 'src', `${stem}${end}`)))
  );
}

/** The sources stay at home, and with them the condition that leads there and what they are built with. */
function withoutSources({ devDependencies: _built, ...manifest }, target) {
  const exports = Object.entries(manifest.exports).flatMap(
    ([name, { 'espalier-source': _source, ...entry }]) =>
      existsSync(join(target, entry.default)) ? [[name, entry]] : [],
  );
  const imports = Object.entries(manifest.imports ?? {}).map(
    ([name, { 'espalier-source': _source, ...entry }]) => [name, entry],
  );
  const own = imports.length === 0 ? {} : { imports: Object.fromEntries(imports) };
  return { ...manifest, ...own, exports: Object.fromEntries(exports) };
}

function bundleRuntime(target, manifest) {
  const source = join(root, 'node_modules', 'onnxruntime-node');
  const copy = join(target, 'node_modules', 'onnxruntime-node');
  const here = join(source, 'bin', 'napi-v6', process.platform, process.arch);
  const isForHere = (path) => path.startsWith(here) || here.startsWith(path);
  cpSync(source, copy, {
    recursive: true,
    filter: (path) => !values['this-platform'] || !path.startsWith(join(source, 'bin')) || isForHere(path),
  });
  const { scripts: _scripts, devDependencies: _tools, ...kept } = readJson(source);
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  manifest.bundleDependencies = ['onnxruntime-node'];
  // npm does not look at what a bundled package depends on
  manifest.dependencies = { ...manifest.dependencies, ...kept.dependencies };
}
