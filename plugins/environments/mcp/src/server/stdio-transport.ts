/**
 * @file Messages over a server's input and output. The transport of the official package has no limit that tells what was
 * found, and leaves what the server started; this one ends everything, and its failure says why.
 */
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { ServerProcess } from './server-process.js';

/** Lines that are no message and may come before the first one, such as a banner. */
const maxBanner = 20;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** why the server cannot be used any more */
  failure: string | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #banner = 0;
  #isClosed = false;
  #hasSpoken = false;

  constructor(
    readonly server: ServerProcess,
    readonly maxMessageBytes: number,
  ) {}

  start(): Promise<void> {
    this.server.child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    void this.server.ended.then((finding) => this.#fail(finding));
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(new Error(this.failure));
    this.server.child.stdin?.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.server.stop();
    this.#end();
  }

  #read(chunk: Buffer): void {
    if (this.failure !== undefined) return;
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      this.#parts.push(chunk.subarray(start, at));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      start = at + 1;
      this.#take(line);
    }
    const rest = chunk.subarray(start);
    this.#size += rest.length;
    this.#parts.push(rest);
    if (this.#size > this.maxMessageBytes)
      this.#fail(`it sent a message of more than ${this.maxMessageBytes} bytes`);
  }

  #take(line: string): void {
    if (line.trim() === '' || this.failure !== undefined) return;
    const message = parseMessage(line);
    if (message !== undefined) {
      this.#hasSpoken = true;
      this.onmessage?.(message);
      return;
    }
    this.#banner++;
    const isBanner = !this.#hasSpoken && this.#banner <= maxBanner && !line.startsWith('{');
    if (!isBanner)
      this.#fail(`it wrote what is no message of the protocol: ${JSON.stringify(line.slice(0, 80))}`);
  }

  /** The first finding counts; a server that cannot be understood is ended. */
  #fail(finding: string): void {
    this.failure ??= finding;
    this.#parts = [];
    void this.server.stop();
    this.#end();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}
