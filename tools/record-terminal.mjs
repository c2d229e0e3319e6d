// Records a command's terminal as an animated SVG: runs it in tmux, captures the screen at intervals, and shows the
// captured frames one after the other.   node tools/record-terminal.mjs OUT.svg [--cols 100 --rows 30 --every 1000] -- COMMAND
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { root } from './steps.mjs';

const args = process.argv.slice(2);
const split = args.indexOf('--');
const out = args[0];
const option = (name, fallback) => {
  const at = args.indexOf(`--${name}`);
  return at > 0 && at < split ? Number(args[at + 1]) : fallback;
};
if (split < 1 || out === undefined) {
  console.error(
    'usage: node tools/record-terminal.mjs OUT.svg [--cols 100] [--rows 30] [--every 1000] -- COMMAND',
  );
  process.exit(2);
}
const command = args.slice(split + 1).join(' ');
const cols = option('cols', 100);
const rows = option('rows', 30);
const every = option('every', 1000);
const session = `espalier-record-${process.pid}`;
const tmux = (...words) => execFileSync('tmux', words, { encoding: 'utf8', cwd: root });

tmux('new-session', '-d', '-s', session, '-x', String(cols), '-y', String(rows), `${command}; sleep 3`);
const frames = [];
while (true) {
  await new Promise((resolve) => setTimeout(resolve, every));
  let screen;
  try {
    screen = tmux('capture-pane', '-e', '-p', '-t', session);
  } catch {
    break;
  }
  // keys do not belong in a picture
  screen = screen.replace(/(esp_\w{4})[\w-]{20,}/g, '$1…');
  if (screen.trim() !== '' && screen !== frames.at(-1)) frames.push(screen);
}
if (frames.length === 0) {
  console.error(`record: "${command}" showed nothing`);
  process.exit(1);
}

const palette = ['#3b4252', '#bf616a', '#a3be8c', '#ebcb8b', '#81a1c1', '#b48ead', '#88c0d0', '#e5e9f0'];
const bright = ['#6b7489', '#d06f79', '#b1d196', '#f0d399', '#8cafd2', '#c895bf', '#93ccdc', '#ffffff'];
// Spaces that no renderer takes together.
const escape = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replaceAll(' ', '\u00a0');

/** Turns one line with SGR escapes into text spans. */
function renderLine(line, y) {
  let style = {};
  let column = 0;
  let body = '';
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1];
    if (codes === undefined) {
      if (part.trim() !== '') {
        const fill = style.dim ? '#7b8496' : (style.color ?? '#d8dee9');
        const weight = style.bold ? ' font-weight="bold"' : '';
        body += `<text x="${12 + column * 8.4}" y="${y}" fill="${fill}"${weight}>${escape(part)}</text>`;
      }
      column += [...part].length;
      continue;
    }
    for (const code of (codes === '' ? '0' : codes).split(';').map(Number)) {
      if (code === 0) style = {};
      else if (code === 1) style = { ...style, bold: true };
      else if (code === 2) style = { ...style, dim: true };
      else if (code === 22) style = { ...style, bold: false, dim: false };
      else if (code >= 30 && code <= 37) style = { ...style, color: palette[code - 30] };
      else if (code === 39) style = { ...style, color: undefined };
      else if (code >= 90 && code <= 97) style = { ...style, color: bright[code - 90] };
    }
  }
  return body;
}

const shown =
  frames.length > 40
    ? frames.filter((_, index) => index % Math.ceil(frames.length / 40) === 0).concat(frames.at(-1))
    : frames;
const seconds = shown.length * 0.6 + 4;
const width = Math.round(cols * 8.4 + 24);
const height = rows * 18 + 24;
const body = shown
  .map((screen, index) => {
    const begin = ((index * 0.6) / seconds) * 100;
    const end = index === shown.length - 1 ? 100 : (((index + 1) * 0.6) / seconds) * 100;
    const lines = screen.split('\n').slice(0, rows);
    const text = lines.map((line, row) => renderLine(line, 28 + row * 18)).join('');
    const keyframes = `@keyframes f${index}{0%,${begin.toFixed(3)}%{opacity:${index === 0 ? 1 : 0}}${(begin + 0.001).toFixed(3)}%,${end.toFixed(3)}%{opacity:1}${index === shown.length - 1 ? '' : `${(end + 0.001).toFixed(3)}%,100%{opacity:0}`}}`;
    // Where animation is off, the last frame stays.
    const still = index === shown.length - 1 ? 1 : 0;
    return `<style>${keyframes}</style><g opacity="${still}" style="animation:f${index} ${seconds.toFixed(1)}s infinite">${text}</g>`;
  })
  .join('\n');
writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" xml:space="preserve"><rect width="100%" height="100%" rx="8" fill="#2e3440"/>\n${body}\n</svg>\n`,
);
console.log(`wrote ${out}: ${shown.length} frames`);
