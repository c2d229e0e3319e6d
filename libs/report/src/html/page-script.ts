/** @file The script of a report: values under the pointer, sources on hover, sorting, the theme. The page works without it. */

export const pageScript = `'use strict';
(() => {
  const root = document.documentElement;
  const tip = document.getElementById('tip');
  const show = (words, x, y) => {
    tip.textContent = words;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - width - 8)) + 'px';
    tip.style.top = (y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18) + 'px';
  };
  const hide = () => { tip.hidden = true; };
  const sourceOf = (cite) => {
    const row = document.querySelector(cite.getAttribute('href'));
    if (row === null) return '';
    const [, source, value, where] = row.cells;
    return [source.innerText, 'stored: ' + value.innerText, where.innerText.replace(/\\s*shown$/, '')].join('\\n');
  };
  for (const cite of document.querySelectorAll('a.cite')) {
    cite.addEventListener('pointerenter', (event) => show(sourceOf(cite), event.clientX, event.clientY));
    cite.addEventListener('focus', () => {
      const { left, bottom } = cite.getBoundingClientRect();
      show(sourceOf(cite), left, bottom - 10);
    });
    cite.addEventListener('pointerleave', hide);
    cite.addEventListener('blur', hide);
  }
  for (const part of document.querySelectorAll('[data-tip]')) {
    part.querySelector('title')?.remove();
    part.addEventListener('pointermove', (event) => show(part.dataset.tip, event.clientX, event.clientY));
    part.addEventListener('pointerleave', hide);
  }
  for (const svg of document.querySelectorAll('svg[data-chart]')) {
    const { x: [first, last, left, right], lines } = JSON.parse(svg.dataset.chart);
    const steps = [...new Set(lines.flatMap(({ points }) => points.map(([step]) => step)))].sort((a, b) => a - b);
    const cursor = svg.querySelector('.cursor');
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const at = first + ((event.clientX - box.left) / box.width * svg.viewBox.baseVal.width - left) / (right - left) * (last - first);
      const step = steps.reduce((best, one) => Math.abs(one - at) < Math.abs(best - at) ? one : best, steps[0]);
      const place = left + (step - first) / (last - first) * (right - left);
      cursor.setAttribute('d', 'M' + place + ' 10V' + (svg.viewBox.baseVal.height - 28));
      const words = lines.map(({ label, points }) => {
        const point = points.find(([own]) => own === step);
        return label + ': ' + (point === undefined ? 'no value' : point[1] + (point[2] === '' ? '' : ' (' + point[2] + ')'));
      });
      show(['step ' + step, ...words].join('\\n'), event.clientX, event.clientY);
    });
    svg.addEventListener('pointerleave', () => { hide(); cursor.setAttribute('d', 'M0 0'); });
  }
  const keyOf = (cell) => {
    const words = cell.innerText.trim().replace(/\\u2212/g, '-');
    const number = parseFloat(words.replace(/[\\s\\u202f]/g, ''));
    return Number.isNaN(number) ? words : number;
  };
  for (const table of document.querySelectorAll('table:not(.sources)')) {
    const body = table.tBodies[0];
    if (body.rows.length < 3) continue;
    [...table.tHead.rows[0].cells].forEach((head, index) => {
      const sort = () => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        for (const other of table.tHead.rows[0].cells) other.setAttribute('aria-sort', 'none');
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[index]) }));
        rows.sort((a, b) => (up ? 1 : -1) * (typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : String(a.key).localeCompare(String(b.key))));
        body.append(...rows.map(({ row }) => row));
      };
      head.setAttribute('aria-sort', 'none');
      head.tabIndex = 0;
      head.addEventListener('click', sort);
      head.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(); });
    });
  }
  const open = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let part = target; part !== null && part !== undefined; part = part.parentElement) if (part.tagName === 'DETAILS') part.open = true;
    target?.scrollIntoView({ block: 'center' });
    hide();
  };
  addEventListener('hashchange', open);
  if (location.hash !== '') open();
  addEventListener('beforeprint', () => { for (const part of document.querySelectorAll('details')) part.open = true; });
  const button = document.getElementById('theme');
  button.hidden = false;
  button.addEventListener('click', () => {
    const isDark = root.dataset.theme === 'dark' || (root.dataset.theme === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
    root.dataset.theme = isDark ? 'light' : 'dark';
  });
})();
`;
