/** @file Our own page, measured as the others are. */
import { startBenchServer } from '../server/bench-server.js';
import { type BenchEvent, type BenchWorker, startBenchWorker } from '../server/bench-worker.js';
import { importRun } from '../server/import-run.js';
import { overlaid } from './sets.js';
import type { Rows, SetName, View, Viewer } from './viewer.js';

/** Starts a server: the long and the live run come from workers, the many are imported. */
export async function openOurViewer(): Promise<Viewer> {
  const server = await startBenchServer();
  const workers = new Map<string, BenchWorker>();
  let imported = 0;
  const workerOf = async (run: string): Promise<BenchWorker> => {
    const found = workers.get(run) ?? (await startBenchWorker(server, run));
    workers.set(run, found);
    return found;
  };
  return {
    name: 'Espalier',
    async write(rows) {
      const events = eventsOf(rows);
      if (rows.set === 'many') {
        await importRun(server, imported++, events);
        return;
      }
      const worker = await workerOf(rows.run);
      for (let at = 0; at < events.length; at += 500) await worker.send(events.slice(at, at + 500));
    },
    async view(set) {
      const path = set === 'many' ? '/compare' : `/runs/${(await workerOf(set)).runId}`;
      return viewOf(set, `${server.url}${path}`, server.adminKey);
    },
    pan: { key: 'Shift' },
    async close() {
      for (const worker of workers.values()) worker.close();
      await server.stop();
    },
  };
}

function viewOf(set: SetName, address: string, key: string): View {
  const isMany = set === 'many';
  const chart = isMany ? `[data-panel="${overlaid}"]` : '[data-panel]';
  const canvas = `document.querySelector('${chart} canvas')`;
  const query = isMany ? `?all=1&show=runs&metrics=${overlaid}` : '';
  // the legend names twelve lines, and says how many it does not name
  const many = `(() => {
    const named = document.querySelectorAll('${chart} .legend li:not(.faint)').length;
    const more = /and (\\d+) below/.exec(document.querySelector('${chart} .legend li.faint')?.textContent ?? '');
    return colouredPixels(${canvas}) > 50 ? named + Number(more?.[1] ?? 0) : 0;
  })()`;
  return {
    address: `${address}${query}#key=${key}`,
    waitsFor: isMany
      ? 'coloured pixels in the chart of Compare, and all runs in its legend'
      : 'coloured pixels in the first chart of the overview, signing in included',
    lines: isMany ? many : `colouredPixels(${canvas}) > 50 ? 1 : 0`,
    picture: `pictureOf(${canvas})`,
    chart: `${chart} .u-over`,
  };
}

const eventsOf = ({ names, first, values }: Rows): BenchEvent[] =>
  Array.from({ length: values.length / names.length }, (_, row) => ({
    kind: 'metrics',
    time: Date.now(),
    step: first + row,
    values: Object.fromEntries(names.map((name, at) => [name, values[row * names.length + at] ?? 0])),
  }));
