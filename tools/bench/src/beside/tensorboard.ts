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
    script: countDrawn,
    refresh:
      'its page asks for what is new when told, or, with "Reload data" on, every 30 s; that is off by default',
    reload: `localStorage.setItem('_tb_global_settings', JSON.stringify({ autoReload: true, autoReloadPeriodInMs: 30000 }));`,
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

/** A worker draws a chart: what the page sends it, and that it has drawn, goes over a port. */
export const countDrawn = `
  window.drawnSeries = 0;
  window.redraws = 0;
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    const series = message?.compactDataSeries?.idsAndLengths;
    if (series !== undefined) {
      if (this.sentSeries === undefined)
        this.addEventListener('message', ({ data }) => {
          if (data?.type !== 0) return;
          redraws++;
          drawnSeries = Math.max(drawnSeries, this.sentSeries);
        });
      this.sentSeries = series.filter(({ length }) => length > 0).length;
    }
    return post.call(this, message, ...rest);
  };
`;

function viewOf(url: string, isMany: boolean): View {
  return {
    address: `${url}/#timeseries`,
    waitsFor: isMany
      ? 'the worker of the only card of Time Series saying that it has drawn all runs'
      : 'the worker of a card of Time Series saying that it has drawn the run',
    lines: 'drawnSeries',
    picture: 'String(redraws)',
    chart: 'scalar-card line-chart .series-view',
  };
}
