/** @file The style of a report: light, dark, narrow, printed. It loads nothing. */

const light = `color-scheme:light;--ground:#f6f6f4;--surface:#fff;--sunken:#efefec;--line:#e2e2dd;--strong:#c9c9c2;--text:#1c1d1a;--muted:#5f6159;--accent:#17694a;--good:#17694a;--warn:#8a5300;--bad:#ac2a1f;--good-soft:#e2f0e8;--warn-soft:#fcf0da;--bad-soft:#fbe7e4;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b5609a;--c4:#a67c00;--c5:#2b8fc4;--c6:#6b4ea0;--c7:#55574f;`;
const dark = `color-scheme:dark;--ground:#121311;--surface:#1a1b19;--sunken:#0d0e0c;--line:#2c2e2a;--strong:#454841;--text:#e9eae4;--muted:#a3a69b;--accent:#6fcaa0;--good:#6fcaa0;--warn:#e5b061;--bad:#f08a7e;--good-soft:#183126;--warn-soft:#33280f;--bad-soft:#3b1b17;--c0:#56a9de;--c1:#ef8a45;--c2:#35c59a;--c3:#d98fc3;--c4:#d9b13b;--c5:#8cc9ee;--c6:#ab92dc;--c7:#a3a69b;`;

const colours = Array.from(
  { length: 8 },
  (_, index) =>
    `.line.c${index},.dot.c${index}{stroke:var(--c${index})}.dot.c${index},.band.c${index}{fill:var(--c${index})}.bar.b${index}{fill:var(--c${index})}`,
).join('');

export const pageStyle = `:root{${light}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{${dark}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-variant-numeric:tabular-nums}
.page{display:grid;grid-template-columns:200px minmax(0,1fr);gap:40px;max-width:1280px;margin:0 auto;padding:32px 32px 96px}
nav{position:sticky;top:32px;align-self:start;font-size:13px}
nav a{display:block;padding:4px 0;color:var(--muted);text-decoration:none}
nav a:hover{color:var(--text)}
nav button{margin-top:12px}
button{font:inherit;font-size:13px;padding:3px 10px;border:1px solid var(--strong);border-radius:6px;background:var(--surface);color:inherit;cursor:pointer}
h1{font-size:26px;line-height:1.25;letter-spacing:-.01em;margin:0 0 4px}
h2{font-size:18px;margin:44px 0 10px;letter-spacing:-.005em}
h3{font-size:15px;margin:26px 0 8px}
.transcript h3{font-size:13px;margin:0 0 6px;color:var(--muted)}
p{margin:0 0 10px;max-width:76ch}
.meta,.note,.muted{color:var(--muted)}
.meta,.note{font-size:13px}
ul,ol{margin:0 0 12px;padding-left:20px}
li{margin:4px 0}
a{color:var(--accent)}
code,pre{font:12.5px/1.5 ui-monospace,'SF Mono','Cascadia Mono',Menlo,'DejaVu Sans Mono',Consolas,monospace}
code{overflow-wrap:anywhere}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
pre.code{background:var(--sunken);border:1px solid var(--line);border-radius:6px;padding:10px 12px;max-height:420px;overflow:auto;margin:0 0 12px}
.card{background:var(--surface);border:1px solid var(--line);border-left:4px solid var(--strong);border-radius:6px;padding:14px 18px 6px;margin:0 0 12px}
.card{display:grid;grid-template-columns:minmax(0,1fr) 180px;gap:20px;align-items:start}.spark{width:180px;height:48px}
.card.good{border-left-color:var(--good)}.card.warn{border-left-color:var(--warn)}.card.bad{border-left-color:var(--bad)}
.badge{display:inline-block;font-size:12px;line-height:1.4;padding:1px 7px;border-radius:9px;background:var(--sunken);margin-left:2px}
.badge.good{background:var(--good-soft);color:var(--good)}.badge.warn{background:var(--warn-soft);color:var(--warn)}.badge.bad{background:var(--bad-soft);color:var(--bad)}
.cite{color:inherit;text-decoration:underline dotted var(--strong);text-underline-offset:3px}
.cite:hover,.cite:focus-visible{text-decoration-color:var(--accent);color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.scroll{overflow-x:auto;margin:0 0 12px}
table{border-collapse:collapse;font-size:13px;width:100%}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-bottom:1px solid var(--line)}
th{color:var(--muted);font-weight:600;vertical-align:bottom}
th[aria-sort]{cursor:pointer}
th[aria-sort=ascending]::after{content:' ↑'}th[aria-sort=descending]::after{content:' ↓'}
.number{text-align:right;white-space:nowrap}
td:first-child code{white-space:nowrap}
td p{margin:2px 0 0;color:var(--muted)}
tr:target,details:target,section:target,li:target{background:var(--warn-soft)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:14px;margin:0 0 14px}
.charts.one{grid-template-columns:minmax(0,1fr);max-width:900px}
figure{margin:0;background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:10px 14px}
figcaption{font:600 12.5px/1.5 ui-monospace,'SF Mono',Menlo,'DejaVu Sans Mono',Consolas,monospace;margin-bottom:4px;overflow-wrap:anywhere}
figure svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--muted);font-size:12px;font-family:inherit}
.grid{stroke:var(--line);fill:none}.axis{stroke:var(--strong);fill:none}
.event{stroke:var(--bad);stroke-dasharray:3 3;fill:none}
.cursor{stroke:var(--muted);fill:none}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.dot{stroke-width:0}.band{fill-opacity:.16;stroke:none}
.line.d1{stroke-dasharray:6 3}.line.d2{stroke-dasharray:2 3}
${colours}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 18px;padding:0;margin:0 0 8px;font-size:13px;color:var(--muted)}
.legend .key{display:inline-block;width:22px;height:8px;margin-right:6px;vertical-align:middle}.legend .key.box{width:10px;height:10px}.legend li{margin:0}
.bars{display:grid;gap:6px;padding:4px 0}
.barrow{display:grid;grid-template-columns:minmax(80px,26%) 1fr 76px;gap:10px;align-items:center;font-size:12.5px}
.barname{overflow-wrap:anywhere}.barsum{text-align:right;color:var(--muted)}
.barrow svg{height:16px}
.intervals{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:12px}
.intervals ol{list-style:none;padding:0;margin:0;font-size:12.5px}.intervals li{margin:0;min-height:26px;line-height:26px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.interval path{stroke:var(--muted);fill:none;stroke-width:1.8}.interval circle{fill:var(--muted)}.interval .hit{fill:transparent}
.interval.up path{stroke:var(--c0)}.interval.up circle{fill:var(--c0)}.interval.down path{stroke:var(--c1)}.interval.down circle{fill:var(--c1)}
.empty{color:var(--muted);font-size:13px}
details{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:10px 16px;margin:0 0 10px}
details details{margin-top:10px}
summary{cursor:pointer}
details[open]>summary{margin-bottom:12px}
.transcript ol{list-style:none;padding:0}
.transcript li{margin:0 0 16px}
.turn{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:16px}
.turn pre{max-height:360px;overflow:auto}
.turn .state{color:var(--muted)}.turn img{max-width:100%;image-rendering:pixelated;margin-bottom:6px}
.reply{border-left:2px solid var(--line);padding-left:14px}.reply p{margin:8px 0 0}
.mark{color:var(--bad);font-size:.85em}
.notes{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:14px 18px 4px}
.notes>:first-child{margin-top:0}
.sources td:nth-child(3){max-width:320px;overflow-wrap:anywhere}
#tip{position:fixed;z-index:9;max-width:min(420px,calc(100vw - 24px));background:var(--surface);border:1px solid var(--strong);border-radius:6px;padding:8px 11px;font-size:12.5px;line-height:1.45;box-shadow:0 3px 14px rgb(0 0 0/18%);pointer-events:none;white-space:pre-line;overflow-wrap:anywhere}
#tip[hidden]{display:none}
@media (max-width:860px){.page{display:block;padding:18px 16px 64px}nav{position:static;display:flex;flex-wrap:wrap;gap:0 16px;align-items:center;margin-bottom:20px;padding-bottom:10px;border-bottom:1px solid var(--line)}nav button{margin:0}.turn,.intervals{grid-template-columns:minmax(0,1fr)}.reply{border-left:0;padding-left:0}h1{font-size:22px}.card{grid-template-columns:minmax(0,1fr);gap:0}.spark{margin-bottom:8px}svg text{font-size:14px}figure{padding:8px 10px}.barrow{grid-template-columns:minmax(64px,30%) 1fr 64px}}
@media print{:root,:root[data-theme=dark]{${light}}nav,#tip{display:none}.page{display:block;padding:0;max-width:none}body{background:#fff;font-size:11pt}.card,figure,li,tr{break-inside:avoid}h2,h3{break-after:avoid}.turn pre,pre.code{max-height:none}.scroll{overflow:visible}}
@media (prefers-reduced-motion:no-preference){tr:target,details:target{transition:background-color .6s}}`;
