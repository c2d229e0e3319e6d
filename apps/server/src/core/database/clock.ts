import { Injectable } from '@nestjs/common';

/** The wall clock, and a monotonic one for leases. Tests replace it. */
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
