/**
 * npm run check:image [-- --cuda]: builds the image of the Dockerfile, without a daemon, looks at what lies in it, and runs the
 * services of compose.yaml from it. Needs root, and Debian's buildah, debootstrap and postgresql. Where no registry can be reached, a
 * base image of the same name is made of Debian packages and of Node.js as npm has it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage, buildah, remove } from './image/build.mjs';
import { describeImage } from './image/contents.mjs';
import { build, install, root, run } from './steps.mjs';

const { values } = parseArgs({
  options: { cuda: { type: 'boolean', default: false }, keep: { type: 'string' } },
});
const needed = { buildah: 'buildah', debootstrap: 'debootstrap', unshare: 'util-linux', ip: 'iproute2' };
const has = (name) => process.env.PATH.split(':').some((folder) => existsSync(join(folder, name)));
const missing = Object.keys(needed).filter((name) => !has(name));
if (process.getuid?.() !== 0 || missing.length > 0) {
  const install = missing.map((name) => needed[name]).join(' ');
  console.error(
    missing.length > 0
      ? `check:image: ${missing.join(', ')} not found (apt-get install ${install} postgresql)`
      : 'check:image: only root can build and start the image (sudo npm run check:image)',
  );
  process.exit(1);
}
if (install() !== 0 || build() !== 0) process.exit(1);

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'espalier-image-'));
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
let failed = 1;
try {
  const begin = Date.now();
  buildImage(folder, dockerfile, values.cuda);
  console.log(`image: built in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
  const container = buildah(folder, ['from', '--pull-never', 'espalier']);
  const place = buildah(folder, ['mount', container]);
  const { settings, problems } = describeImage(folder, place, values.cuda);
  for (const problem of problems) console.error(`image: ${problem}`);
  // with a network of its own, in which the ports of compose.yaml are free
  const start = join(root, 'tools', 'image', 'start.mjs');
  failed =
    run('unshare', ['--net', '--mount', process.execPath, start, place, JSON.stringify(settings)]) ||
    Math.min(problems.length, 1);
} finally {
  if (values.keep === undefined) {
    remove(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exit(failed);
