/** @file `espalier worker devices`: what the devices of a worker did. */
import type { Client } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean } from '../console.js';
import { examples } from '../examples.js';
import { parseDuration } from '../parse-arguments.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findWorkerId } from '../remote/find-worker.js';
import { formatDuration } from '../view/eta.js';
import { percent } from '../view/numbers.js';
import { drawSparkline } from '../view/sparkline.js';

type DeviceSpan = Awaited<ReturnType<Client['workers']['deviceHistory']>>[number];

interface DevicesOptions extends ConnectOptions {
  readonly since?: number;
}

const hourSeconds = 3600;
const width = 48;

/** Adds `espalier worker devices`. */
export function addWorkerDevicesCommand(worker: Command, { console }: CommandContext): void {
  withConnection(worker.command('devices <worker>'))
    .description('show how busy the devices of a worker were, by its name or id')
    .option('--since <duration>', 'how far back (90s, 10m, 2h; default: 24h)', parseDuration('--since'))
    .addHelpText('after', examples(['worker devices gpu-box-3 --since 2h', 'did its GPUs wait?']))
    .action(async (word: string, _options: DevicesOptions, command: Command) => {
      const options = command.optsWithGlobals<DevicesOptions>();
      const client = connect(options);
      const id = await findWorkerId(client, word, 'show the devices of');
      const { since = 24 * hourSeconds } = options;
      const hours = since / hourSeconds;
      const spans = await client.workers.deviceHistory(id, { hours, points: width });
      if (options.json === true) return console.line(JSON.stringify(spans));
      const devices = [...new Set(spans.flatMap((span) => span.devices.map((device) => device.id)))];
      if (devices.length === 0)
        console.line(`worker ${clean(word)} reported nothing in the last ${formatDuration(since * 1000)}`);
      for (const device of devices) console.line(describe(device, spans, hours));
    });
}

/** One line: mean and highest share at work, and its course. */
function describe(id: string, spans: readonly DeviceSpan[], hours: number): string {
  const shares = place(spans, id, hours);
  const known = shares.filter((share) => !Number.isNaN(share));
  const latest = spans.at(-1)?.devices.find((device) => device.id === id);
  const rounded = (value: number | null | undefined, unit: string): string[] =>
    typeof value === 'number' ? [`${Math.round(value)} ${unit}`] : [];
  const facts = [
    ...(known.length === 0
      ? ['busy: not reported']
      : [
          `busy ${percent(known.reduce((sum, share) => sum + share, 0) / known.length)} on average, ${percent(Math.max(...known))} at most`,
        ]),
    ...rounded(latest?.freeMemoryMb, 'MiB free'),
    ...rounded(latest?.powerWatts, 'W'),
    ...rounded(latest?.temperatureCelsius, '°C'),
  ];
  return `${clean(id)}  ${drawSparkline(shares, width, [0, 1])}  ${facts.join(', ')}`;
}

/** Shares by their place in the time asked for; NaN where there was no report. */
function place(spans: readonly DeviceSpan[], id: string, hours: number): number[] {
  const shares = Array.from({ length: width }, () => Number.NaN);
  const spanMs = Math.max(60_000, (hours * hourSeconds * 1000) / width);
  const now = Date.now();
  for (const { at, devices } of spans) {
    // the newest span began one span ago; a clock that is off puts it in the future
    const back = Math.round((now - Date.parse(at)) / spanMs) - 1;
    const index = width - 1 - Math.max(0, back);
    const share = devices.find((device) => device.id === id)?.utilisation ?? Number.NaN;
    if (index >= 0) shares[index] = share;
  }
  return shares;
}
