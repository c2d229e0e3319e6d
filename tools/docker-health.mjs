// The health check of the image: a server must be ready, a worker must hold its data folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const port = process.env.ESPALIER__SERVER__PORT ?? '4500';
const lock = join(process.env.ESPALIER__WORKER__DATA ?? 'worker', 'worker.lock');

/** Throws if no worker runs on the data folder. */
function checkWorker() {
  const { pid } = JSON.parse(readFileSync(lock, 'utf8'));
  process.kill(pid, 0);
}

try {
  if (process.argv[2] === 'worker') checkWorker();
  else {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`);
    if (status !== 200) throw new Error(`/health/ready answers ${status}`);
  }
} catch (error) {
  console.error(`not healthy: ${error.message}`);
  process.exit(1);
}
