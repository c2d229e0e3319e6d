/** @file MLflow's page: Plotly in SVG; a run's model metrics, and the charts of an experiment with all of its runs shown. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { BenchOptions } from '../row.js';
import { openPeerProcesses } from './peer-process.js';
import type { SetName, View, Viewer } from './viewer.js';

export async function openMlflow(options: BenchOptions): Promise<Viewer> {
  const storeIn = (folder: string): string => `sqlite:///${join(folder, 'mlflow.db')}`;
  const processes = await openPeerProcesses(options, 'mlflow', (folder) => [storeIn(folder)]);
  const places = new Map<SetName, string>();
  const counts = new Map<SetName, Set<string>>();
  let url: string | undefined;
  const words = (port: number): string[] => [
    '-m',
    'mlflow',
    'server',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--backend-store-uri',
    storeIn(processes.folder),
  ];
  return {
    name: processes.versions,
    async write(rows) {
      places.set(rows.set, await processes.write(rows));
      counts.set(rows.set, (counts.get(rows.set) ?? new Set()).add(rows.run));
    },
    async view(set): Promise<View> {
      url ??= await processes.serve(words, '/health');
      const place = `${url}/#/experiments/${places.get(set) ?? ''}`;
      if (set !== 'many') return viewOf(`${place}/model-metrics`);
      const address = `${place.split('/runs/')[0] ?? ''}/runs?compareRunsMode=CHART`;
      return {
        ...viewOf(address, true),

        prepare: (page: Page) => showAll(page, (counts.get(set)?.size ?? 0) > mostRead),
      };
    },
    pan: { handle: '.js-plotly-plot .xdrag.ewdrag, .js-plotly-plot .ewdrag' },
    limit: `it draws 10 of the ${mostRead} runs that it reads at once until "Show all runs" and "Load more" are chosen, which counts as part of the opening`,
    close: async () => processes.close(),
  };
}

/** Runs that it reads at once. */
const mostRead = 100;

async function showAll(page: Page, areMore: boolean): Promise<void> {
  await page.waitForSelector('.js-plotly-plot .scatterlayer .trace path.js-line');
  await page.click('[data-testid=experiment-view-runs-visibility-column-header]');
  await page.click('[role=menuitemradio]:has-text("Show all runs")');
  if (areMore) await page.click('button:has-text("Load more")');
}

function viewOf(address: string, isMany = false): View {
  const lines = `'.js-plotly-plot .scatterlayer .trace path.js-line'`;
  return {
    address,
    waitsFor: isMany
      ? 'a path for each run in the only chart, after "Show all runs" was chosen'
      : 'a path in the first chart of Model metrics',
    // each run has a path for its values and one for its band
    lines: `new Set([...document.querySelectorAll(${lines})].filter((line) => (line.getAttribute('d') ?? '').length > 20).map((line) => line.closest('.trace'))).size`,
    picture: `(() => {
      const chart = document.querySelector('.js-plotly-plot');
      const line = chart?.querySelector('.scatterlayer .trace path.js-line');
      return [line?.getAttribute('d'), chart?.querySelector('.cartesianlayer .plot')?.getAttribute('transform'), chart?.querySelector('.xtick text')?.getAttribute('transform')].join();
    })()`,
    chart: '.js-plotly-plot .nsewdrag',
  };
}
