import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../report.js';
import { taskSchema } from '../task.js';
import type { Language } from './job.js';
import type { ProgramResult } from './lane.js';
import { mostLanes, Pool } from './pool.js';

const pool = new Pool(mostLanes);
beforeAll(() => pool.enter());
afterAll(() => pool.leave());

/** Enough for a machine that is busy: only what never ends may be cut off. */
const patient = { timeMs: 45_000, memoryBytes: 32 * 2 ** 20 };
/** Of what never ends and answers nothing before. */
const impatient = { ...patient, timeMs: 1500 };
/** Of what never ends after a first answer, which a busy machine gives late. */
const waiting = { ...patient, timeMs: 10_000 };

const run = (language: Language, source: string, limits = patient): Promise<ProgramResult> =>
  pool.run(language, { source, entry: 'f', calls: ['[1]', '[2]'] }, limits);

const value = (text: string): object => ({ kind: 'value', text });
const raised = (text: string): object => ({ kind: 'raised', text });
const tooLarge = { kind: 'too_large', text: '' };
const both = (answer: object): object => ({ answers: [answer, answer], end: 'finished' });

/** Takes as long as the same in Python, and is ended by the same clock. */
const slow: [Language, string, string, number][] =
  process.env['TEST_LONG'] === undefined
    ? []
    : [['javascript', 'in a call', 'function f(n) { while (n === 2); return n; }', 1]];

describe('a program that does not end', () => {
  it.each<[Language, string, string, number]>([
    ...slow,
    ['python', 'at its top', 'while True: pass', 0],
    ['python', 'in a call', 'def f(n):\n  while n == 2: pass\n  return n', 1],
    ['python', 'in the interpreter', 'import re\ndef f(n): return re.match(r"(a+)+$", "a" * 50 + "b")', 0],
    [
      'python',
      'in a result',
      'class L(list):\n  @property\n  def __class__(self): return int\ndef f(n):\n  def g():\n    while True: pass\n    yield 1\n  return g()',
      0,
    ],
    ['python', 'and prints', 'while True: print("started", "loaded", "up", "ended")', 0],
    [
      'python',
      'and catches all',
      'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
      0,
    ],
    ['javascript', 'at its top', 'for (;;);', 0],
    ['javascript', 'in a getter', 'function f(n) { return { get a() { for (;;); } }; }', 0],
  ])('in %s, %s, is cut off', async (language, _place, source, answered) => {
    const result = await run(language, source, answered > 0 ? waiting : impatient);
    expect(result).toMatchObject({ end: 'cut_off' });
    expect(result.answers.length).toBe(answered);
  });

  it('gains no time by writing what the host could take for a message', async () => {
    const source = [
      'import posix, sys',
      'frame = sys._getframe(1)',
      'say = frame.f_locals["say"]',
      'for word in ("L", "D", "U", "started", "up", "ended", "loaded"): say(word, 0, "")',
      'posix.write(0, b"\\nL 0 \\nV 0 1\\nV 1 2\\nD 0 \\n")',
      'while True: say("L", 0, "")',
    ].join('\n');
    expect(await run('python', source, impatient)).toEqual({ answers: [], end: 'cut_off', printed: '' });
  });
});

describe('a program that takes all memory', () => {
  it.each<[Language, string, string, object]>([
    [
      'python',
      'in a call',
      'def f(n):\n  x = []\n  while True: x.append("a" * 1000000)',
      both(raised('MemoryError')),
    ],
    [
      'python',
      'at its top',
      'x = [0]\nwhile True: x = x + x',
      { answers: [], loadError: 'MemoryError', end: 'finished' },
    ],
    [
      'javascript',
      'in a call',
      'function f(n) { const x = []; for (;;) x.push("a".repeat(1e6) + x.length); }',
      both(raised('InternalError: out of memory')),
    ],
    [
      'javascript',
      'at its top',
      'let x = [0]; for (;;) x = x.concat(x)',
      { answers: [], loadError: 'InternalError: out of memory', end: 'finished' },
    ],
  ])('in %s, %s, gets an error', async (language, _place, source, expected) => {
    expect(await run(language, source)).toMatchObject(expected);
  });
});

describe('a program that recurses', () => {
  const depth = 'RecursionError: maximum recursion depth exceeded';
  it.each<[Language, string, string, object]>([
    ['python', 'without end', 'def f(n): return f(n + 1)', both(raised(depth))],
    [
      'python',
      'after it raised the limit',
      'import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)',
      both(raised(depth)),
    ],
    [
      'python',
      'in the interpreter',
      'import sys\nsys.setrecursionlimit(10**9)\nclass A:\n  def __repr__(self): return repr(self)\ndef f(n): return repr(A())',
      { answers: [], end: 'crashed' },
    ],
    [
      'python',
      'in its result',
      'def f(n):\n  x = []\n  for _ in range(500): x = [x]\n  return x',
      both(tooLarge),
    ],
    ['python', 'in a ring', 'def f(n):\n  x = []\n  x.append(x)\n  return x', both(tooLarge)],
    [
      'javascript',
      'without end',
      'function f(n) { return f(n + 1); }',
      both(raised('InternalError: stack overflow')),
    ],
    [
      'javascript',
      'in its result',
      'function f(n) { let x = []; for (let i = 0; i < 500; i++) x = [x]; return x; }',
      both(tooLarge),
    ],
    ['javascript', 'in a ring', 'function f(n) { const x = {}; x.x = x; return x; }', both(tooLarge)],
  ])('in %s, %s, ends', async (language, _place, source, expected) => {
    expect(await run(language, source)).toMatchObject(expected);
  });
});

describe('a program that answers too much', () => {
  it.each<[Language, string]>([
    ['python', 'def f(n): return "a" * 10000000'],
    ['python', 'def f(n): return 10 ** 100000'],
    ['python', 'def f(n): return [0] * 10000'],
    ['python', 'def f(n):\n  while True: yield n'],
    ['javascript', 'function f(n) { return "a".repeat(1e7); }'],
    ['javascript', 'function f(n) { return new Array(1e9); }'],
    ['javascript', 'function f(n) { return 10n ** 9999n; }'],
  ])('in %s is told so: %s', async (language, source) => {
    expect(await run(language, source)).toMatchObject(both(tooLarge));
  });

  it.each<[Language, string]>([
    ['python', 'def f(n):\n  for _ in range(100): print("é" * 100000)\n  return n'],
    ['python', 'import sys\ndef f(n):\n  sys.stderr.write("x" * 10000000)\n  return n'],
    ['javascript', 'function f(n) { for (let i = 0; i < 100; i++) console.log("é".repeat(1e5)); return n; }'],
  ])('in %s prints the first thousand characters: %s', async (language, source) => {
    const result = await run(language, source);
    expect(result).toMatchObject({ answers: [value('1'), value('2')], end: 'finished' });
    expect(result.printed.length).toBeGreaterThan(400);
    expect(result.printed.length).toBeLessThanOrEqual(1000);
  });

  it.each<[Language, string]>([
    ['python', 'def f(n): raise ValueError("x" * 10000000)'],
    ['javascript', 'function f(n) { throw new Error("x".repeat(1e7)); }'],
  ])('in %s has the start of a long error: %s', async (language, source) => {
    const { answers } = await run(language, source);
    expect(answers.map(({ text }) => text.length)).toEqual([200, 200]);
  });
});

describe('output', () => {
  it.each<[Language, string]>([
    ['python', 'print("read")\ndef f(n):\n  print("n is", n)\n  return n'],
    ['javascript', 'console.log("read"); function f(n) { console.log("n is", n); return n; }'],
  ])('in %s is kept of the reading and of the calls that are heard', async (language, source) => {
    const calls = ['[1]', '[2]', '[3]'];
    const printed = async (heard?: number): Promise<string> => {
      const job = { source, entry: 'f', calls, ...(heard !== undefined && { heard }) };
      const result = await pool.run(language, job, patient);
      expect(result.answers.length).toBe(3);
      return result.printed;
    };
    expect(await printed(2)).toBe('read\nn is 1\nn is 2\n');
    expect(await printed()).toBe('read\nn is 1\nn is 2\nn is 3\n');
  });
});

describe('a program that looks for a way out', () => {
  const notThere = "FileNotFoundError: [Errno 44] No such file or directory: '/etc/passwd'";
  it.each<[string, string, object]>([
    ['files', 'def f(n): return open("/etc/passwd").read()', both(raised(notThere))],
    [
      'folders',
      'import os\ndef f(n): return os.listdir("/")',
      both(raised("FileNotFoundError: [Errno 44] No such file or directory: '/'")),
    ],
    [
      'its environment',
      'import os\ndef f(n): return dict(os.environ)',
      both(value('{"dict":[["PYTHONHASHSEED","0"]]}')),
    ],
    [
      'processes',
      'import subprocess\ndef f(n): return subprocess.run(["ls"])',
      both(raised('OSError: [Errno 58] wasi does not support processes.')),
    ],
    [
      'sockets',
      'import socket\ndef f(n): return socket.socket()',
      both(raised('OSError: [Errno 58] Not supported')),
    ],
    [
      'threads',
      'import threading\ndef f(n): threading.Thread(target=print).start()',
      both(raised("RuntimeError: can't start new thread")),
    ],
    ['input', 'def f(n): return input()', both(raised('EOFError: EOF when reading a line'))],
    [
      'native code',
      'import ctypes\ndef f(n): return n',
      { answers: [], loadError: "ModuleNotFoundError: No module named 'ctypes'" },
    ],
    [
      'other descriptors',
      'import posix\ndef f(n): return posix.write(777, b"x")',
      both(raised('OSError: [Errno 8] Bad file descriptor')),
    ],
  ])('in Python finds no %s', async (_name, source, expected) => {
    expect(await run('python', source)).toMatchObject(expected);
  });

  it.each<[string, string, object]>([
    [
      'require',
      'function f(n) { return require("fs"); }',
      both(raised("ReferenceError: 'require' is not defined")),
    ],
    [
      'names of Node or a browser',
      'function f(n) { return [typeof process, typeof fetch, typeof WebAssembly, typeof setTimeout, typeof std, typeof os]; }',
      both(value('["undefined","undefined","undefined","undefined","undefined","undefined"]')),
    ],
    [
      'code outside',
      'function f(n) { return f.constructor("return typeof process")(); }',
      both(value('"undefined"')),
    ],
    ['modules', 'import fs from "fs"; function f(n) { return 1; }', { answers: [], end: 'finished' }],
  ])('in JavaScript finds no %s', async (_name, source, expected) => {
    expect(await run('javascript', source)).toMatchObject(expected);
  });

  it('sees a clock, chance and hashes that are the same in every run', async () => {
    const source =
      'import time, random\ndef f(n): return [time.time(), random.random(), hash("a"), id(f), str(object())]';
    const first = await run('python', source);
    expect(first).toMatchObject({ end: 'finished' });
    expect(first.answers[0]!.text).toContain('1704067200.');
    expect(await run('python', source)).toEqual(first);
    const chance = 'function f(n) { return [Math.random(), typeof Date, typeof performance]; }';
    expect(await run('javascript', chance)).toEqual(await run('javascript', chance));
  });

  it('leaves nothing behind for the next', async () => {
    await run('python', 'import builtins\nbuiltins.secret = 7\ndef f(n): return n');
    expect(await run('python', 'def f(n): return secret')).toMatchObject(
      both(raised("NameError: name 'secret' is not defined")),
    );
    await run('javascript', 'globalThis.secret = 7; Array.prototype.secret = 8; function f(n) { return n; }');
    expect(
      await run('javascript', 'function f(n) { return [typeof secret, typeof [].secret]; }'),
    ).toMatchObject(both(value('["undefined","undefined"]')));
  });
});

describe('a program that attacks its tests', () => {
  const python = taskSchema.parse({
    name: 'next',
    language: 'python',
    entry: 'f',
    broken: 'x',
    solution: 'x',
    tests: [1, 2].map((n) => ({ args: [n], expected: n + 7 })),
  });
  const javascript = { ...python, language: 'javascript' } as const;
  const wrong = ['wrong', 'wrong'];
  const bothRaised = ['raised', 'raised'];

  it.each<[string, string, string[]]>([
    [
      'an equality of its own',
      'class A:\n  def __eq__(self, other): return True\n  def __hash__(self): return 8\ndef f(n): return A()',
      wrong,
    ],
    [
      'a number of its own',
      'class I(int):\n  def __eq__(self, other): return True\n  def __repr__(self): return "8"\n  def __str__(self): return "8"\ndef f(n): return I(3)',
      wrong,
    ],
    ['a list of its own', 'class L(list):\n  def __len__(self): return 0\ndef f(n): return L()', wrong],
    ['an exit', 'import sys\ndef f(n): sys.exit(0)', bothRaised],
    ['an exit at its top', 'import sys\nsys.exit(0)\ndef f(n): return n', ['not_run', 'not_run']],
    ['a raised exit', 'def f(n): raise SystemExit(0)', bothRaised],
    ['an interrupt', 'def f(n): raise KeyboardInterrupt', bothRaised],
    ['an exit of the process', 'import os\ndef f(n): os._exit(0)', ['exited', 'not_run']],
    [
      'an exit of the process at its top',
      'import os\nos._exit(0)\ndef f(n): return n',
      ['exited', 'not_run'],
    ],
    [
      'other builtins',
      'import builtins\nfor name in list(vars(builtins)):\n  if name not in ("print", "setattr") and name[0] != "_": setattr(builtins, name, lambda *a, **k: True)\ndef f(n): return 0',
      wrong,
    ],
    [
      'another print',
      'import builtins\nbuiltins.print = lambda *a, **k: True\ndef f(n):\n  print("passed")\n  return n',
      wrong,
    ],
    [
      'the harness itself',
      'import sys\ndef f(n):\n  say = sys._getframe(1).f_locals["say"]\n  for i in range(2): say("V", i, "true")\n  return n',
      wrong,
    ],
    [
      'answers out of order',
      'import sys\ndef f(n):\n  say = sys._getframe(1).f_locals["say"]\n  for i in (5, -1, 1, 1e9, "x", 0): say("V", i, "1")\n  return n',
      wrong,
    ],
    [
      'answers that are no values',
      'import sys\ndef f(n):\n  say = sys._getframe(1).f_locals["say"]\n  for text in ("", "{", "{\\"x\\":1}", "[" * 5000, "x" * 100000): say("V", n - 1, text)\n  return n',
      wrong,
    ],
    [
      'an end before its time',
      'import sys\nsay = sys._getframe(1).f_locals["say"]\nsay("L", 0, "")\nsay("D", 0, "")\nsys._getframe(1).f_locals["leave"](0)',
      ['not_run', 'not_run'],
    ],
  ])('in Python with %s passes none', async (_name, source, verdicts) => {
    const result = await pool.run('python', { source, entry: 'f', calls: ['(1,)', '(2,)'] }, patient);
    expect(judge(python, result).verdicts).toEqual(verdicts);
    expect(result.answers.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, string, string[]]>([
    [
      'other methods',
      'Array.isArray = () => true; JSON.stringify = () => "8"; Object.keys = () => []; Reflect.apply = () => 8; String.prototype.slice = () => "8"; Array.prototype.push = () => 8; function f(n) { return n; }',
      wrong,
    ],
    [
      'a text of its own',
      'Object.prototype.toJSON = Array.prototype.toJSON = () => 8; function f(n) { return { valueOf: () => n + 7, toString: () => String(n + 7) }; }',
      wrong,
    ],
    [
      'traps on prototypes',
      'Object.defineProperty(Object.prototype, "kind", { get: () => "value" }); Object.defineProperty(Array.prototype, "0", { get: () => 8, set() {} }); function f(n) { return n; }',
      wrong,
    ],
    ['a proxy', 'function f(n) { return new Proxy([], { get: () => n + 7 }); }', wrong],
    ['a thrown value', 'function f(n) { throw { get name() { throw 1; } }; }', bothRaised],
    ['a promise', 'async function f(n) { return n + 7; }', wrong],
    ['an early close', '); print = 8; (', ['not_run', 'not_run']],
  ])('in JavaScript with %s passes none', async (_name, source, verdicts) => {
    const result = await pool.run('javascript', { source, entry: 'f', calls: ['[1]', '[2]'] }, patient);
    expect(judge(javascript, result).verdicts).toEqual(verdicts);
  });
});
