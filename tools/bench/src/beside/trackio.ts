/** @file Trackio's page: Vega-Lite on a canvas; a project is opened with all of its runs chosen. */
import type { BenchOptions } from '../row.js';
import { openPeerProcesses } from './peer-process.js';
import type { View, Viewer } from './viewer.js';

const show = `
import sys, trackio
trackio.show(open_browser=False, block_thread=True, host="127.0.0.1", server_port=int(sys.argv[1]))
`;

export async function openTrackio(options: BenchOptions): Promise<Viewer> {
  const processes = await openPeerProcesses(
    options,
    'trackio',
    () => [],
    (folder) => ({ TRACKIO_DIR: folder }),
  );
  let url: string | undefined;
  return {
    name: processes.versions,
    write: async (rows) => void (await processes.write(rows)),
    async view(set) {
      url ??= await processes.serve((port) => ['-c', show, String(port)], '/version');
      return viewOf(`${url}/?project=${set}`, set === 'many');
    },
    pan: 'it has no panning: a drag chooses a range',
    close: async () => processes.close(),
  };
}

function viewOf(address: string, isMany: boolean): View {
  const plot = '.plot-container[data-metric]';
  const canvas = `document.querySelector('${plot} canvas')`;
  // the legend names six lines, and says on a button how many more there are
  const many = `(() => {
    const named = document.querySelectorAll('${plot} .custom-legend .legend-item').length;
    const more = /\\+(\\d+) more/.exec(document.querySelector('${plot} .legend-toggle')?.textContent ?? '');
    return colouredPixels(${canvas}) > 50 ? named + Number(more?.[1] ?? 0) : 0;
  })()`;
  return {
    address,
    waitsFor: isMany
      ? 'coloured pixels in the only chart of the project, and all runs in its legend'
      : 'coloured pixels in the first chart of the project',
    lines: isMany ? many : `colouredPixels(${canvas}) > 50 ? 1 : 0`,
    picture: `pictureOf(${canvas})`,
    chart: `${plot} canvas`,
  };
}
