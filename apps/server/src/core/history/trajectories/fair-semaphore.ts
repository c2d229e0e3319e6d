/** @file A semaphore that is fair between owners: they take turns, and none gets all slots. */

interface Owner {
  active: number;
  readonly waiting: (() => void)[];
}

export class FairSemaphore {
  /** the least recently served first */
  private readonly owners = new Map<string, Owner>();
  private active = 0;

  constructor(
    private readonly slots: number,
    private readonly slotsPerOwner: number,
  ) {}

  /** Waits for a slot; returns the function that releases it, to be called once. */
  async enter(name: string): Promise<() => void> {
    const owner = this.owners.get(name) ?? { active: 0, waiting: [] };
    this.owners.set(name, owner);
    await new Promise<void>((resolve) => {
      owner.waiting.push(resolve);
      this.fill();
    });
    return () => {
      this.active -= 1;
      owner.active -= 1;
      if (owner.active === 0 && owner.waiting.length === 0) this.owners.delete(name);
      this.fill();
    };
  }

  private fill(): void {
    while (this.active < this.slots) {
      const found = [...this.owners].find(
        ([, { active, waiting }]) => waiting.length > 0 && active < this.slotsPerOwner,
      );
      if (found === undefined) return;
      const [name, owner] = found;
      this.owners.delete(name);
      this.owners.set(name, owner);
      this.active += 1;
      owner.active += 1;
      owner.waiting.shift()?.();
    }
  }
}
