/** @file Light or dark: as the system has it until somebody chooses, which is then remembered. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
const place = 'espalier-theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const changed = 'espalier-theme-changed';

const chosen = (): Theme | undefined => {
  const value = window.localStorage.getItem(place);
  return value === 'light' || value === 'dark' ? value : undefined;
};

const current = (): Theme => chosen() ?? (dark.matches ? 'dark' : 'light');

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = current();
  window.dispatchEvent(new Event(changed));
}
dark.addEventListener('change', applyTheme);

export function chooseTheme(theme: Theme): void {
  window.localStorage.setItem(place, theme);
  applyTheme();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    window.addEventListener(changed, listener);
    return () => window.removeEventListener(changed, listener);
  }, current);

/** The value of a custom property, such as `--data-1`, for what is drawn on a canvas. */
export const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
