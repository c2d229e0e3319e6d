import type { BenchItem, BenchRow } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { type BenchPage, missingBrowser, openBenchPage } from './bench-page.js';

type Measure = (server: BenchServer, page: BenchPage, short: boolean) => Promise<BenchRow[]>;

/** Each item has a server, a database and a browser of its own. */
export const dashboardItem =
  (measure: Measure): BenchItem =>
  async ({ short }) => {
    const skipped = missingBrowser();
    if (skipped !== undefined) return { skipped };
    const server = await startBenchServer();
    try {
      const page = await openBenchPage(server);
      try {
        return await measure(server, page, short);
      } finally {
        await page.close();
      }
    } finally {
      await server.stop();
    }
  };
