/** @file The desk in this process: a new one for every connection, without a process to start. */
import { InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import type { Transport as ServerTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Desk } from './desk.js';

/** The client's end of a connection to a new desk. */
export function connectDesk(): Transport {
  const desk = new Desk();
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(() => desk.createServer(), { transport: far as unknown as ServerTransport });
  return near;
}
