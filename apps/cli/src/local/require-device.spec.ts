import { describe, expect, it } from 'vitest';
import { requireDevice } from './require-device.js';

const startsProcess = (): boolean => process.getActiveResourcesInfo().includes('ProcessWrap');

describe('requireDevice', () => {
  it('starts no process for the default driver on the CPU', async () => {
    expect(startsProcess()).toBe(false);
    const asked = requireDevice({ provider: 'cpu', precision: 'float32' });
    expect(startsProcess()).toBe(false);
    await asked;
  });

  it('starts one for another driver', async () => {
    const asked = requireDevice({ provider: 'cpu', precision: 'float32', driver: 'native' });
    expect(startsProcess()).toBe(true);
    await asked.catch(() => undefined);
  });
});
