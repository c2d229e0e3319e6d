#!/usr/bin/env node
/** @file The desk as a process, over its input and output, in both protocols. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Desk } from './desk.js';

const desk = new Desk();
serveStdio(() => desk.createServer());
