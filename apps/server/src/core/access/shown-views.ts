/** @file Views that a key's own open pages are asked to show, by a program or another window that has the same key. */
import { text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LiveBus } from '../database/live-bus.js';
import type { Caller } from './caller.js';

export const showViewRequest = z.strictObject({
  path: text(2000)
    .regex(/^\/(?![/\\])[^\s\\]*$/, 'expected a path of the page, such as /runs/<id>?step=4')
    .describe('the view, as the address of the page has it: path and search parameters'),
  note: text(500).optional().describe('why; the pages show it above the view'),
});

export class ShownView {
  path!: string;

  note!: string | null;

  /** that were asked: open ones with the same key */
  pages!: number;
}

@Injectable()
export class ShownViews {
  constructor(private readonly bus: LiveBus) {}

  /** Asks the open pages of the caller's key, and no others. */
  show({ keyId }: Caller, { path, note }: z.output<typeof showViewRequest>): ShownView {
    const view = { path, note: note ?? null, pages: this.bus.countListeners('view', keyId) };
    this.bus.publish('view', keyId, view);
    return view;
  }
}
