import { AppError } from '@espalier/contracts';
import { libraryNames, pinnedLibraries, type LibraryName, probeDriver } from '@espalier/runtime';
import { type InstallOptions, type InstallProgress, installLibrary } from '@espalier/setup';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { formatBytes } from '../view/numbers.js';

interface SetupOptions {
  readonly wheel: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Adds `espalier setup`. */
export function addSetupCommand(program: Command, { console }: CommandContext): void {
  const setup = program
    .command('setup')
    .description('fetch the native library of a driver: pinned by sha256, whole or absent');
  for (const name of libraryNames) addLibrary(setup, name, console);
}

function addLibrary(setup: Command, name: LibraryName, console: Console): void {
  const { title, version, license, platform } = pinnedLibraries[name];
  setup
    .command(name)
    .description(`fetch ${title} ${version} (${license}, ${platform}) into the cache folder`)
    .addOption(
      new Option('--wheel <file>', 'a wheel that you have, in place of an index; may be repeated')
        .argParser((file: string, files: readonly string[]) => [...files, file])
        .default([]),
    )
    .option('--force', 'fetch again what is there')
    .option('--json', 'print progress and the result, one JSON object per line')
    .addHelpText(
      'after',
      `\nThe wheel comes from where pip of this machine takes packages: PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,
PIP_FIND_LINKS and PIP_CERT, or the same in pip.conf. No Python runs. The cache folder is ESPALIER_CACHE, else
XDG_CACHE_HOME/espalier, else ~/.cache/espalier.\n` +
        examples(
          [`setup ${name}`, 'from the index that pip is configured with'],
          [
            `setup ${name} --wheel ./${Object.keys(pinnedLibraries[name].wheels[0]?.files ?? {})[0]}`,
            'without a network',
          ],
        ),
    )
    .action((options: SetupOptions) => setUp(name, options, console));
}

async function setUp(
  name: LibraryName,
  { wheel, force, json }: SetupOptions,
  console: Console,
): Promise<void> {
  const { folder, isOld } = await install(name, console, {
    wheels: wheel,
    force: force === true,
    report: json === true ? reportJson(console) : reportText(console),
  });
  const { isAvailable, finding } = await probeDriver(driverOf[name]);
  if (!isAvailable) throw new AppError('runtime.driver_unavailable', finding);
  if (json === true)
    return console.line(
      JSON.stringify({ kind: 'installed', library: name, folder, wasThere: isOld, finding }),
    );
  console.line(`${name} ${folder}${isOld ? '  (was there)' : ''}`);
  console.line(`loads: ${finding}`);
}

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

/** The driver that a library is for. */
const driverOf = { openvino: 'openvino' } as const satisfies Record<LibraryName, string>;

function reportJson(console: Console): (progress: InstallProgress) => void {
  return limited((progress) => console.line(JSON.stringify(progress)));
}

function reportText(console: Console): (progress: InstallProgress) => void {
  return limited((progress) => {
    if (progress.kind === 'unpack') return console.note(`unpacking ${progress.file}`);
    const { file, bytes, ofBytes } = progress;
    console.note(`${file}: ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`);
  });
}

/** At most one line of a download in a while; it arrives in thousands of pieces. */
function limited(print: (progress: InstallProgress) => void): (progress: InstallProgress) => void {
  let next = 0;
  return (progress) => {
    if (progress.kind === 'download' && performance.now() < next && progress.bytes < progress.ofBytes) return;
    next = performance.now() + 500;
    print(progress);
  };
}
