/**
 * @file C libraries through koffi, an optional dependency: a prebuilt binary without an install script. Pointers are
 * bigints. A typed array that is given as a pointer is not copied, and its memory does not move: whoever hands a library
 * memory to keep holds the array as long.
 */
import { AppError } from '@espalier/contracts';
import type koffi from 'koffi';
import { choosersOf, type DriverName } from './driver.js';

type Koffi = typeof koffi;

/** A C function; arguments are checked by koffi at the call. */
export type CFunction = (...args: readonly unknown[]) => unknown;

/** An opened library. */
export interface CLibrary {
  /** to be held as long as a function of its tables may be called: a library that nobody holds is unloaded */
  readonly handle: object;
  readonly koffi: Koffi;
  /** Looks up a function by its C prototype. */
  find(prototype: string): CFunction;
}

/** A pointer that a function returned or stored. */
export type Pointer = bigint | null;

/** Loads koffi. @throws runtime.driver_unavailable */
export async function loadKoffi(driver: DriverName): Promise<Koffi> {
  try {
    return (await import('koffi')).default;
  } catch (cause) {
    throw new AppError(
      'runtime.driver_unavailable',
      `open driver "${driver}": the package koffi is not installed, which opens native libraries; run npm install koffi@3.3.4, or leave ${choosersOf[driver]} out`,
      { details: { driver }, cause },
    );
  }
}

/** Opens a library. @param remedy what to do when it does not load @throws runtime.driver_unavailable */
export async function openLibrary(
  driver: DriverName,
  path: string,
  remedy: string,
  { isGlobal = false }: { /** others find its functions */ readonly isGlobal?: boolean } = {},
): Promise<CLibrary> {
  const koffi = await loadKoffi(driver);
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw unusable(driver, path, remedy, cause);
    }
  };
  const library = attempt(() => koffi.load(path, { global: isGlobal }));
  return { handle: library, koffi, find: (prototype) => attempt(() => library.func(prototype) as CFunction) };
}

function unusable(driver: DriverName, path: string, remedy: string, cause: unknown): AppError {
  const finding = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'runtime.driver_unavailable',
    `open driver "${driver}": ${path} does not load: ${finding.trim()}; ${remedy}`,
    { details: { driver, path }, cause },
  );
}

/** Calls a function that ends on another thread, so that the event loop turns meanwhile. */
export function callApart(call: CFunction, ...args: readonly unknown[]): Promise<unknown> {
  const { async: start } = call as CFunction & {
    readonly async: (...args: readonly unknown[]) => void;
  };
  return new Promise((resolve, reject) => {
    start(...args, (error: Error | null, result: unknown) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
