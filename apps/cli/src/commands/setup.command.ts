import { AppError } from '@espalier/contracts';
import { libraryNames, pinnedLibraries, type LibraryName } from '@espalier/runtime';
import { type InstallOptions, type InstallProgress, installLibrary } from '@espalier/setup';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { requireAnswer } from '../local/ask-probe.js';
import { createInterrupt } from '../interrupt.js';
import { formatBytes } from '../view/numbers.js';

interface SetupOptions {
  readonly wheel: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
  readonly system?: boolean;
  readonly cudaLibraries?: string;
}

/** Adds `espalier setup`. */
export function addSetupCommand(program: Command, { console }: CommandContext): void {
  const setup = program
    .command('setup')
    .description('fetch the native library of a driver: pinned by sha256, whole or absent');
  for (const name of libraryNames) addLibrary(setup, name, console);
}

function addLibrary(setup: Command, name: LibraryName, console: Console): void {
  const { title, version, license, platform, wheels } = pinnedLibraries[name];
  const command = setup
    .command(name)
    .description(`fetch ${title} ${version} (${license}; ${platform}) into the cache folder`)
    .addOption(
      new Option('--wheel <file>', 'a wheel that you have, in place of an index; may be repeated')
        .argParser((file: string, files: readonly string[]) => [...files, file])
        .default([]),
    );
  if (wheels.some(({ isOftenInstalled }) => isOftenInstalled === true))
    command
      .option(
        '--system',
        'link the CUDA 13 libraries that the linker of this machine finds, or VIRTUAL_ENV has; fetch only the others',
      )
      .option(
        '--cuda-libraries <dir>',
        "link those of this folder: a toolkit, or a Python environment with NVIDIA's packages; fetch only the others",
      );
  command
    .option('--force', 'fetch again what is there')
    .option('--json', 'print progress and the result, one JSON object per line')
    .addHelpText(
      'after',
      `\nWheels (${formatBytes(wheels.reduce((sum, { bytes }) => sum + bytes, 0))}) come from where pip of this machine takes packages: PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,
PIP_FIND_LINKS and PIP_CERT, or the same in pip.conf. No Python runs. The cache folder is ESPALIER_CACHE, else
XDG_CACHE_HOME/espalier, else ~/.cache/espalier.\n` +
        examples(
          [`setup ${name}`, 'from the index that pip is configured with'],
          [
            `setup ${name}${wheels.map(({ files }) => ` --wheel ./${Object.keys(files)[0]}`).join('')}`,
            'without a network',
          ],
          ...(name === 'cuda' ? [cudaExample] : []),
        ),
    )
    .action((options: SetupOptions) => setUp(name, options, console));
}

const cudaExample: readonly [string, string] = [
  'setup cuda --cuda-libraries .venv',
  'with the libraries of a Python environment that has PyTorch for CUDA 13',
];

async function setUp(name: LibraryName, options: SetupOptions, console: Console): Promise<void> {
  const { wheel, force, json, system, cudaLibraries } = options;
  const { folder, isOld } = await install(name, console, {
    wheels: wheel,
    ...(system === true || cudaLibraries !== undefined
      ? { machine: cudaLibraries === undefined ? {} : { folder: cudaLibraries } }
      : {}),
    force: force === true,
    report: json === true ? reportJson(console) : reportText(console),
  });
  const { finding, ...more } = await checks[name]();
  if (json === true)
    return console.line(
      JSON.stringify({ kind: 'installed', library: name, folder, wasThere: isOld, finding, ...more }),
    );
  console.line(`${name}${isOld ? ' was there' : ''}: ${finding}`);
}

/**
 * Opens what was set up and computes with it, in a process of its own.
 *
 * @throws runtime.driver_unavailable, also for libraries that end the process in which they are opened
 */
const checks: Readonly<Record<LibraryName, () => Promise<{ readonly finding: string }>>> = {
  openvino: async () => ({ finding: (await requireAnswer('product', { driver: 'openvino' })).finding }),
  async cuda() {
    const { files, driver, devices } = await requireAnswer('cuda');
    if (files.state !== 'ready') throw new AppError('runtime.driver_unavailable', files.finding);
    return { finding: `${files.finding}; ${driver.finding}`, driver: driver.state, devices };
  },
};

async function install(
  name: LibraryName,
  console: Console,
  options: Omit<InstallOptions, 'signal'>,
): ReturnType<typeof installLibrary> {
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  try {
    return await installLibrary(pinnedLibraries[name], { ...options, signal: interrupt.signal });
  } catch (cause) {
    if (!interrupt.signal.aborted) throw cause;
    const message = `set up ${name}: stopped; nothing was installed, the same command starts again`;
    throw new AppError('cli.interrupted', message, { cause });
  } finally {
    interrupt.dispose();
  }
}

function reportJson(console: Console): (progress: InstallProgress) => void {
  return limited((progress) => console.line(JSON.stringify(progress)));
}

function reportText(console: Console): (progress: InstallProgress) => void {
  return limited((progress) => {
    if (progress.kind === 'absent')
      return console.note(`not found to link: ${progress.files.join(', ')}; fetching what they belong to`);
    if (progress.kind === 'link') return console.note(`linking ${progress.to}`);
    const { kind, file, bytes, ofBytes } = progress;
    const part = `${file}: ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`;
    if (kind === 'unpack') return console.note(`unpacking ${part}`);
    const { secondsLeft, totalBytes, ofTotalBytes } = progress;
    const total =
      ofTotalBytes === ofBytes ? '' : `, of all ${Math.floor((totalBytes / ofTotalBytes) * 100)} %`;
    console.note(`${part}${total}${secondsLeft === undefined ? '' : `, ${secondsLeft} s left`}`);
  });
}

/** At most one line of a file in a while; it arrives in thousands of pieces. */
function limited(print: (progress: InstallProgress) => void): (progress: InstallProgress) => void {
  let next = 0;
  let last = '';
  return (progress) => {
    if (progress.kind === 'absent') return print(progress);
    const { kind, file } = progress;
    const isWithin = kind !== 'link' && last === `${kind} ${file}` && progress.bytes < progress.ofBytes;
    if (isWithin && performance.now() < next) return;
    last = `${kind} ${file}`;
    next = performance.now() + 1000;
    print(progress);
  };
}
