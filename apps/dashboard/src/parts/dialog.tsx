import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  readonly label: string;
  readonly children: ReactNode;
  /** Escape was pressed */
  onClose(): void;
}

/** A dialog over the page. When it goes, the focus returns to where it was, or to the content where that is gone. */
export function Dialog({ label, children, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // a button that is disabled now, or went with what was answered
      window.setTimeout(() => focusContent(), 0);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}

/** Puts a focus that is lost on the content, so that Tab goes on from there. */
export function focusContent(): void {
  if (document.activeElement === null || document.activeElement === document.body)
    document.getElementById('content')?.focus({ preventScroll: true });
}
