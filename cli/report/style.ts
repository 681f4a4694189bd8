// The style of the report: dark and light as the reader's machine says, narrow and wide, and on paper.

export const style = `
:root{color-scheme:light dark;--page:#f6f7f9;--paper:#fff;--ink:#1a1f29;--soft:#566072;--line:#dde2ea;
--allowed:#2f6fb3;--denied:#e08e2c;--diverged:#c4262e;--undetermined:#8b7bb8;--good:#1c7c54;--tint:#eef2f7}
@media (prefers-color-scheme:dark){:root{--page:#10141b;--paper:#181e28;--ink:#e8ecf3;--soft:#a3aec0;
--line:#2c3543;--allowed:#5b9be0;--denied:#f0a94e;--diverged:#ff6b6b;--undetermined:#ab9be0;--good:#4cc38a;--tint:#202836}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:62rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.15rem;font-weight:600;margin:0;letter-spacing:-.005em}
h2{font-size:1.15rem;margin:0 0 .25rem;letter-spacing:-.005em}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.3rem 0 .8rem;max-width:46rem}
.soft{color:var(--soft)}
header{display:flex;justify-content:space-between;gap:1rem;flex-wrap:wrap;align-items:baseline;margin-bottom:1.25rem}
header p{margin:0}
section{background:var(--paper);border:1px solid var(--line);border-radius:12px;padding:1.4rem 1.5rem;margin-top:1rem}
.verdict{border-left:8px solid var(--tone)}
.verdict .word{font-size:2.1rem;line-height:1.2;font-weight:700;color:var(--tone);margin:0;letter-spacing:-.02em}
.verdict .say{font-size:1.08rem;margin:.35rem 0 0}
.reproduced{--tone:var(--good)}.is-undetermined{--tone:var(--undetermined)}.is-diverged,.is-tampered{--tone:var(--diverged)}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:1px;background:var(--line);border:1px solid var(--line);border-radius:12px;overflow:hidden;margin:1rem 0 0}
.numbers div{min-width:0;background:var(--paper);padding:.9rem 1.1rem}
.numbers dt{color:var(--soft);font-size:.85rem}
.numbers dd{margin:0;font-size:1.45rem;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
.numbers .bad{color:var(--diverged)}.numbers .open{color:var(--undetermined)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0;margin:.2rem 0 .6rem;font-size:.9rem;color:var(--soft)}
.legend svg{width:12px;height:12px;margin-right:.4rem;vertical-align:-1px}
svg.plot{width:100%;height:auto;display:block}
svg.narrow{display:none}
svg text{fill:var(--soft);font-size:13px;font-family:inherit;font-variant-numeric:tabular-nums}
svg .name{fill:var(--ink)}
svg .grid{stroke:var(--line)}svg .axis{stroke:var(--soft)}
svg .allowed{fill:var(--allowed)}svg .denied{fill:var(--denied)}svg .diverged{fill:var(--diverged)}svg .undetermined{fill:var(--undetermined)}
table{border-collapse:collapse;width:100%;font-size:.94rem}
th,td{text-align:left;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600;font-size:.85rem}
tr:last-child td{border-bottom:0}
.number{text-align:right;padding-right:0;white-space:nowrap;font-variant-numeric:tabular-nums}
code,.mono{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:.86em;overflow-wrap:anywhere}
.frameworks{columns:2;column-gap:2.5rem}.framework{break-inside:avoid;padding-bottom:.4rem}.framework h3{margin-top:.7rem}
th.id{white-space:nowrap;width:6.5rem}
ul.ids{list-style:none;padding:0;margin:.2rem 0;display:flex;flex-wrap:wrap;gap:.4rem}
ul.ids li{background:var(--tint);border-radius:6px;padding:.15rem .55rem;font-size:.9rem}
.finding{border-top:1px solid var(--line);padding:1rem 0 .2rem;break-inside:avoid}
.finding h3{margin:0 0 .2rem}
.finding .where{font-size:.9rem}
dl.pair{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1rem;margin:.5rem 0;font-size:.94rem}
dl.pair dt{color:var(--soft)}dl.pair dd{margin:0;min-width:0;overflow-wrap:anywhere}
.value{background:var(--tint);border-radius:5px;padding:.1rem .4rem;box-decoration-break:clone;-webkit-box-decoration-break:clone}
ul.plain{padding-left:1.1rem;margin:.4rem 0}ul.plain li{margin:.3rem 0;max-width:46rem}
footer{color:var(--soft);font-size:.88rem;margin-top:1.4rem}
@media (max-width:40rem){main{padding:1.25rem .75rem 2.5rem}section{padding:1.1rem 1rem}
svg.wide{display:none}.frameworks{columns:1}th.id{width:auto}svg.narrow{display:block}.verdict .word{font-size:1.7rem}.numbers dd{font-size:1.2rem}
.numbers{grid-template-columns:1fr 1fr}dl.pair{grid-template-columns:1fr;gap:0}dl.pair dd{margin-bottom:.5rem}}
@media print{:root{color-scheme:light;--page:#fff;--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--allowed:#2f6fb3;
--denied:#e08e2c;--diverged:#c4262e;--undetermined:#8b7bb8;--good:#1c7c54;--tint:#eee}
body{font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}
section{border-color:#bbb;break-inside:auto}.plots,.verdict,.numbers,tr{break-inside:avoid}h2{break-after:avoid}}
`;
