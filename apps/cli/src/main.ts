#!/usr/bin/env node
import { runProgram } from './run-program.js';

process.exitCode = await runProgram();
