/** @file TensorBoard's page: its time series, drawn on a canvas by a worker; a server for each set, which reads its log folder. */
import { join } from 'node:path';
import type { BenchOptions } from '../row.js';
import { openPeerProcesses } from './peer-process.js';
import type { SetName, View, Viewer } from './viewer.js';

export async function openTensorBoard(options: BenchOptions): Promise<Viewer> {
  const processes = await openPeerProcesses(options, 'tensorboard', (folder) => [folder]);
  const urls = new Map<SetName, string>();
  const runs = new Map<SetName, Set<string>>();
  return {
    name: processes.versions,
    async write(rows) {
      await processes.write(rows);
      runs.set(rows.set, (runs.get(rows.set) ?? new Set()).add(rows.run));
    },
    async view(set) {
      const words = (port: number): string[] => [
        '-m',
        'tensorboard.main',
        '--logdir',
        join(processes.folder, set),
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
      ];
      const url = urls.get(set) ?? (await processes.serve(words, '/data/environment'));
      if (!urls.has(set)) await waitForRuns(url, runs.get(set)?.size ?? 0);
      urls.set(set, url);
      return viewOf(url, set === 'many');
    },
    pan: { key: 'Shift' },
    close: async () => processes.close(),
  };
}

/** It answers before it has read its folder: until all runs are listed, and then as long as it takes to read them to the end. */
async function waitForRuns(url: string, wanted: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = (await (await fetch(`${url}/data/runs`)).json()) as unknown[];
    await new Promise((done) => setTimeout(done, found.length < wanted ? 200 : 5000));
    if (found.length >= wanted) return;
  }
}

function viewOf(url: string, isMany: boolean): View {
  // a chart draws all chosen runs at once, and the table of its card has a row for each
  const rows = `document.querySelectorAll('scalar-card tb-data-table-content-row').length`;
  return {
    address: `${url}/#timeseries`,
    waitsFor: isMany
      ? 'the first lines that the worker of the only card of Time Series draws, and all runs in its table'
      : 'the first line that the worker of a card of Time Series draws',
    lines: `workerFrames > 0 ? ${isMany ? rows : '1'} : 0`,
    picture: 'String(workerFrames)',
    chart: 'scalar-card line-chart .series-view',
  };
}
