import type { TrajectoryDetails } from '@espalier/client';
import { useEffect, useRef, useState } from 'react';
import { LongText } from '../parts/long-text.js';

interface Props {
  /** base64 of a PNG */
  readonly image: string | null;
  readonly text: string;
  readonly alt: string;
}

/** A state: its picture where there is one, else letters. */
export function Scene({ image, text, alt }: Props) {
  if (image !== null) return <img className="scene" src={`data:image/png;base64,${image}`} alt={alt} />;
  return <Letters text={text} alt={alt} />;
}

/** What scrolls can be reached by keyboard. */
function Letters({ text, alt }: Omit<Props, 'image'>) {
  const place = useRef<HTMLPreElement>(null);
  const [doesScroll, setScroll] = useState(false);
  useEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = place.current ?? {};
    setScroll(scrollHeight > clientHeight);
  }, [text]);
  const asStop = doesScroll ? { tabIndex: 0, role: 'group', 'aria-label': alt } : {};
  return (
    <pre ref={place} className="scene" {...asStop}>
      <LongText of={text} />
    </pre>
  );
}

/** The picture of a turn where one is kept, else the drawing in letters, else what the model saw. */
export const sceneOf = ({
  image,
  render,
  observation,
}: TrajectoryDetails['turns'][number]): Pick<Props, 'image' | 'text'> => ({
  image,
  text: render === '' ? observation : render,
});
