/** Formats a share as a percentage with one digit. */
export function percent(share: number | undefined): string {
  return share === undefined || !Number.isFinite(share) ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** Formats a number with three significant digits. */
export function short(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(1);
  return Number(value.toPrecision(3)).toString();
}

/** Formats a share with its interval: `61.2 % [57.0, 65.3]`. */
export function percentWithInterval(share: number, low: number, high: number): string {
  return `${percent(share)} [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;
}

/** A number with its noun: `1 turn`, `2 turns`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Formats bytes of memory: `640 MiB`, from 1024 MiB on `2.5 GiB`. */
export function formatBytes(bytes: number): string {
  const mebibytes = Math.ceil(bytes / 2 ** 20);
  return mebibytes < 1024 ? `${mebibytes} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

/** Cuts plain text to a width, marking the cut. */
export function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
