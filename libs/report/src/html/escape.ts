/** @file Text as HTML. Control, direction and invisible characters become marks; nothing is ever markup. */
import { splitVisible, toVisible } from '@espalier/contracts/visible-text';

const signs: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeSigns = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign);

/** Escapes text for the content of an element. */
export const escapeText = (text: string): string =>
  splitVisible(text)
    .map((part) =>
      typeof part === 'string'
        ? escapeSigns(part)
        : `<span class="mark" title="${part.name}">${escapeSigns(part.mark)}</span>`,
    )
    .join('');

/** Escapes text for an attribute in double quotes, or for SVG. */
export const escapePlain = (text: string): string => escapeSigns(toVisible(text));

/** What HTML or a terminal could take for something else. */
const special = /[<>\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON for a script element of type application/json. */
export const embedJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    special,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
