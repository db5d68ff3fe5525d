"""The style sheet of the report: light and dark, for a desk, a phone and paper; no fonts or files from elsewhere."""

CSS = """
:root{color-scheme:light dark;--page:#fff;--text:#1c2430;--soft:#5b6675;--line:#d9dee6;--head:#eef1f6;--theirs:#f6f3ea;
--link:#0b5cad;--shade:#0003;--good:#0a6640;--goodbg:#e2f4ea;--bad:#8f3a00;--badbg:#fdeadb;--none:#4c5766;--nonebg:#e9ecf1}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--text:#e4e8ee;--soft:#9da8b6;--line:#2f3844;--head:#1c232d;
--theirs:#23211a;--link:#7db8f5;--shade:#000b;--good:#7ddaa9;--goodbg:#12352a;--bad:#ffb686;--badbg:#43260f;--none:#b3bdca;
--nonebg:#2a323d}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--text);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:74rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:clamp(1.6rem,4vw,2.2rem);line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.4rem;line-height:1.3;margin:3.2rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.08rem;margin:2rem 0 .5rem}
p,ul,ol,dl{margin:.5rem 0}
p,li,dd,figcaption{max-width:48rem}
a{color:var(--link)}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.lead{color:var(--soft);font-size:1.05rem;margin-top:0}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.5rem 1.25rem;padding:.8rem 1rem;
background:var(--head);border-radius:.5rem}
.facts dt{color:var(--soft);font-size:.8rem}
.facts dd{margin:0;overflow-wrap:anywhere}
nav ol{padding-left:1.4rem}
.warn{border-left:.3rem solid var(--bad);background:var(--badbg);padding:.6rem .9rem;border-radius:.2rem}
.warn p{margin:0}
.scroll{overflow-x:auto;margin:.6rem 0;border:1px solid var(--line);border-radius:.4rem}
.scroll{background:linear-gradient(90deg,var(--page) 30%,transparent) 0 0/3rem 100% no-repeat local,
linear-gradient(270deg,var(--page) 30%,transparent) 100% 0/3rem 100% no-repeat local,
linear-gradient(90deg,var(--shade),transparent) 0 0/.8rem 100% no-repeat,
linear-gradient(270deg,var(--shade),transparent) 100% 0/.8rem 100% no-repeat}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.875rem;line-height:1.35;min-width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.55rem .7rem;font-weight:600;font-size:.95rem}
caption span{display:inline-block;position:sticky;left:.7rem;max-width:min(46rem,calc(100vw - 5rem))}
th,td{padding:.32rem .7rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{background:var(--head);vertical-align:bottom;min-width:4.2rem}
tbody th{font-weight:500}
.n{text-align:right}
tbody .n,.off{white-space:nowrap}
tbody .whole{white-space:nowrap}
.block{margin:1.6rem 0}
.theirs{background:var(--theirs)}
.off{display:block;font-size:.78em;color:var(--soft)}
.far{color:var(--bad)}
.group th{background:var(--head);font-weight:600}
.claims td,.claims tbody th{min-width:9rem}
.claims td:last-child{min-width:6.5rem}
.chip{display:inline-block;padding:.08rem .55rem;border-radius:1rem;font-size:.82rem;font-weight:600;white-space:nowrap}
.agrees{color:var(--good);background:var(--goodbg)}
.differs{color:var(--bad);background:var(--badbg)}
.not-measured{color:var(--none);background:var(--nonebg)}
.notes{color:var(--soft);font-size:.875rem;padding-left:1.2rem;margin-top:0}
.why dt{font-weight:600;margin-top:.9rem;max-width:48rem}
.why dd{margin:.1rem 0 0}
.soft{color:var(--soft);font-size:.9rem}
figure{margin:1.4rem 0}
figure img{display:block;max-width:100%;height:auto;background:#fff;padding:.5rem;border:1px solid var(--line);
border-radius:.4rem}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.35rem}
details{margin:1rem 0}
summary{cursor:pointer;font-weight:600;font-size:.95rem;padding:.3rem 0}
footer{color:var(--soft);font-size:.875rem;padding-top:2rem;padding-bottom:3rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){.claims thead{display:none}.claims :is(table,caption,tbody,tr,th,td){display:block;border:0}
.claims tr{border-top:1px solid var(--line);padding:.45rem 0}.claims :is(td,tbody th){padding:.1rem .8rem;min-width:0}
.claims tbody th{font-weight:600}.claims .theirs{background:none}.claims .group{padding:0}
.claims .group th{padding:.5rem .8rem}
.claims td[data-of]::before{content:attr(data-of) ": ";color:var(--soft)}}
@media print{.scroll{overflow:visible;border:0}body{font-size:11px}h2{break-before:page}figure,tr{break-inside:avoid}}
"""
