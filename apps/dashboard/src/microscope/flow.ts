/**
 * @file Text that goes on from block to block. Only blocks in view are in the page, each laid out by itself; a block begins
 * on the last line of the one before it, where that ends.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Block } from './blocks.js';

/** Where blocks end on their last lines, px from the left of the text; those of one width. */
interface Ends {
  readonly width: number;
  readonly of: Map<number, number>;
}

/** Lays out what is in view after each render. @param measure is told of a block whose height may be another now */
export function useFlow(
  list: RefObject<HTMLElement>,
  blocks: readonly Block[],
  measure: (block: HTMLElement) => void,
): void {
  const ends = useRef<Ends>({ width: 0, of: new Map() });
  useLayoutEffect(() => {
    if (list.current === null) return;
    const width = list.current.clientWidth;
    if (width !== ends.current.width) ends.current = { width, of: new Map() };
    for (const element of list.current.querySelectorAll<HTMLElement>('.token-block')) {
      const index = Number(element.dataset['index']);
      const isFirst = blocks[index]?.read !== undefined;
      const begin = isFirst ? undefined : ends.current.of.get(index - 1);
      const { end, isMoved } = layOut(element, begin);
      if (end === undefined) ends.current.of.delete(index);
      else ends.current.of.set(index, end);
      if (isMoved) measure(element);
    }
  });
}

/** @param begin undefined: on a line of its own */
function layOut(
  block: HTMLElement,
  begin: number | undefined,
): { readonly end: number | undefined; readonly isMoved: boolean } {
  const text = block.querySelector<HTMLElement>('.tokens:not(.waiting)');
  if (text === null) return { end: undefined, isMoved: false };
  const isMoved = text.classList.contains('goes-on') !== (begin !== undefined);
  text.classList.toggle('goes-on', begin !== undefined);
  text.style.textIndent = begin === undefined ? '' : `${begin}px`;
  const last = [...(text.lastElementChild?.getClientRects() ?? [])].at(-1);
  if (last === undefined) return { end: undefined, isMoved };
  const { left } = text.getBoundingClientRect();
  return { end: last.right - left - Number.parseFloat(getComputedStyle(text).paddingLeft), isMoved };
}
