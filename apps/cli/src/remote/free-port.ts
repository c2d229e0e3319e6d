import { createServer } from 'node:net';

/** Whether a port of an address is taken. */
export async function isPortTaken(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'EADDRINUSE'));
    probe.listen(port, host, () => probe.close(() => done(false)));
  });
}
