/**
 * @file Runs programs in threads that are kept for the next: a bounded number, each with an interpreter that is up. The host
 * keeps the time and counts the answers; a thread that takes too long is ended.
 */
import { availableParallelism } from 'node:os';
import type { Job, Language } from './job.js';
import { Lane, type ProgramResult } from './lane.js';
import { openModule } from './modules.js';

export interface Limits {
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Most threads of a process. */
export const mostLanes = Math.max(1, Math.min(4, availableParallelism()));

export class Pool {
  private readonly lanes = new Set<Lane>();
  private readonly idle: Lane[] = [];
  private readonly waiting: (() => void)[] = [];
  private users = 0;
  private programs = 0;
  /** lanes that are about to be made */
  private opening = 0;

  constructor(private readonly most: number) {}

  /** Threads there are, and programs that were run, for tests and measurements. */
  counts(): { lanes: number; programs: number } {
    return { lanes: this.lanes.size, programs: this.programs };
  }

  /** Says that programs may come; the last `leave` ends the threads that are idle. */
  enter(): void {
    this.users++;
  }

  /** Takes an {@link enter} back. */
  async leave(): Promise<void> {
    this.users--;
    if (this.users > 0) return;
    await Promise.all(this.idle.splice(0).map((lane) => lane.close()));
  }

  /**
   * Runs a program.
   *
   * @throws where the sandbox itself fails; whatever the program does is a result
   */
  async run(language: Language, job: Job, limits: Limits): Promise<ProgramResult> {
    this.programs++;
    const lane = await this.takeLane(language, limits.memoryBytes);
    try {
      return await lane.run(job, limits.timeMs);
    } finally {
      if (lane.isUsable() && this.users > 0) this.idle.push(lane);
      else await lane.close();
      this.waiting.shift()?.();
    }
  }

  /** A thread for the language: an idle one, a new one while there may be more, or the next that is free. */
  private async takeLane(language: Language, memoryBytes: number): Promise<Lane> {
    for (;;) {
      const place = this.idle.findIndex((lane) => lane.fits(language, memoryBytes));
      const found = this.idle[place];
      if (found !== undefined) {
        this.idle.splice(place, 1);
        if (found.isUsable()) return found;
        await found.close();
      } else if (this.lanes.size + this.opening < this.most) {
        return await this.openLane(language, memoryBytes);
      } else if (this.idle.length > 0) await this.idle.shift()!.close();
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private async openLane(language: Language, memoryBytes: number): Promise<Lane> {
    this.opening++;
    try {
      const module = await openModule(language, memoryBytes);
      const lane = new Lane(language, module, memoryBytes, () => this.lanes.delete(lane));
      this.lanes.add(lane);
      return lane;
    } catch (error) {
      this.waiting.shift()?.();
      throw error;
    } finally {
      this.opening--;
    }
  }
}

/** The pool that all environments of a process share. */
export const pool = new Pool(mostLanes);
