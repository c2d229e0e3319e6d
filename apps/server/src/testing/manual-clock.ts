import { Clock } from '../core/database/clock.js';

/** A clock that tests move. */
export class ManualClock extends Clock {
  private wall = 1_800_000_000_000;
  private elapsed = 0;

  override now(): number {
    return this.wall;
  }

  override steady(): number {
    return this.elapsed;
  }

  /** Time passes. @param ms since the last call */
  pass(ms: number): void {
    this.wall += ms;
    this.elapsed += ms;
  }

  /** The clock of the machine is set. */
  jump(ms: number): void {
    this.wall += ms;
  }
}
