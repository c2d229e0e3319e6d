import { Injectable } from '@nestjs/common';

/** Time for jobs: what a person reads, and what leases are measured by. Tests put their own in its place. */
@Injectable()
export class Clock {
  /** ms since the epoch; may jump */
  now(): number {
    return Date.now();
  }

  /** ms since some moment; never jumps */
  steady(): number {
    return performance.now();
  }
}
