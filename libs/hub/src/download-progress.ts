/** @file How far a download is. */

export interface DownloadProgress {
  readonly kind: 'download';
  /** owner/name */
  readonly model: string;
  readonly commit: string;
  readonly file: string;
  /** of all files of the model */
  readonly bytes: number;
  readonly ofBytes: number;
  readonly bytesPerSecond: number;
  /** null until there is a rate */
  readonly etaSeconds: number | null;
}

export interface ProgressMeter {
  /** Counts bytes that were there before. */
  skip(bytes: number): void;
  /** Counts bytes that have arrived; negative ones have to be downloaded again. */
  add(file: string, bytes: number): void;
}

/** @param now ms */
export function createProgressMeter(
  { model, commit, ofBytes }: Pick<DownloadProgress, 'model' | 'commit' | 'ofBytes'>,
  report: (progress: DownloadProgress) => void,
  now: () => number = () => performance.now(),
): ProgressMeter {
  const start = now();
  let bytes = 0;
  let arrived = 0;
  return {
    skip: (count) => void (bytes += count),
    add(file, count) {
      bytes += count;
      arrived += Math.max(0, count);
      const seconds = (now() - start) / 1000;
      const bytesPerSecond = seconds > 0 ? arrived / seconds : 0;
      const etaSeconds = bytesPerSecond > 0 ? Math.max(0, ofBytes - bytes) / bytesPerSecond : null;
      report({ kind: 'download', model, commit, file, bytes, ofBytes, bytesPerSecond, etaSeconds });
    },
  };
}
