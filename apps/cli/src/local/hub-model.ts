/** @file A model of a hub, as a command downloads it. */
import { AppError } from '@espalier/contracts';
import { describeModelChoice, type HubModel } from '@espalier/contracts/model-choice';
import {
  type DescribedModel,
  downloadDescription,
  type DownloadedModel,
  downloadModel,
  type DownloadOptions,
  type DownloadProgress,
  readHubSettings,
} from '@espalier/hub';
import { type Console, clean } from '../console.js';
import { createInterrupt } from '../interrupt.js';
import { formatDuration } from '../view/eta.js';
import { formatBytes } from '../view/numbers.js';

const reportMs = 2000;

/**
 * Downloads a model, or takes it from the cache. Progress goes to standard error; Ctrl-C stops, and the same command
 * resumes.
 *
 * @param onProgress takes the place of the lines of progress
 * @throws hub.*, model.disk_full, cli.interrupted
 */
export function downloadHubModel(
  choice: HubModel,
  console: Console,
  onProgress: (progress: DownloadProgress) => void = createReport(console),
): Promise<DownloadedModel> {
  return interruptibly(choice, console, (options) => downloadModel(choice, { ...options, onProgress }));
}

/** Downloads what describes a model: its small files, and what its weight files begin with. @throws as above */
export const downloadHubDescription = (choice: HubModel, console: Console): Promise<DescribedModel> =>
  interruptibly(choice, console, (options) => downloadDescription(choice, options));

async function interruptibly<T>(
  choice: HubModel,
  console: Console,
  download: (options: DownloadOptions) => Promise<T>,
): Promise<T> {
  const name = describeModelChoice(choice);
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  try {
    return await download({
      settings: readHubSettings(),
      signal: interrupt.signal,
      onNote: (message) => console.note(clean(`note: ${message}`)),
    });
  } catch (cause) {
    if (!interrupt.signal.aborted) throw cause;
    throw new AppError(
      'cli.interrupted',
      `download ${name}: stopped; the part that was downloaded stays, and the same command resumes it`,
      { cause },
    );
  } finally {
    interrupt.dispose();
  }
}

function createReport(console: Console): (progress: DownloadProgress) => void {
  let next = 0;
  return ({ model, file, bytes, ofBytes, bytesPerSecond, etaSeconds }) => {
    if (performance.now() < next) return;
    next = performance.now() + reportMs;
    const left = etaSeconds === null ? '' : `, ${formatDuration(etaSeconds * 1000)} left`;
    const rate = `${formatBytes(bytesPerSecond)}/s`;
    console.note(
      clean(`download ${model}: ${formatBytes(bytes)} of ${formatBytes(ofBytes)} (${file}), ${rate}${left}`),
    );
  };
}
