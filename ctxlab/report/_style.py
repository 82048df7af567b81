"""Looks of the report: light, dark, narrow and printed."""

from __future__ import annotations

from typing import Final

__all__ = ["CSS"]

CSS: Final = """
:root { color-scheme: light dark; --ink: #1b1f23; --soft: #4c5560; --ground: #ffffff;
  --card: #f4f6f8; --line: #c9d0d6; --accent: #005a9e; --warn: #9a3b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --soft: #b0bac4; --ground: #14181c;
  --card: #1e242a; --line: #46505a; --accent: #7cc0ff; --warn: #ffab70; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-top: .5rem;
  border-top: 2px solid var(--line); }
h3 { font-size: 1.08rem; margin: 1.5rem 0 .4rem; }
p, main > section > ul { max-width: 46rem; }
small { color: var(--soft); font-size: .85em; font-weight: normal; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .wide:focus-visible { outline: 3px solid var(--accent);
  outline-offset: 2px; }
code { font: .9em ui-monospace, monospace; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
  gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--line);
  border-left: .4rem solid var(--accent); border-radius: .4rem; padding: .25rem 1rem .75rem; }
.card.none { border-left-color: var(--warn); }
.card h3 { margin-top: .75rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
th, td { padding: .4rem .5rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: break-word; max-width: 26rem; }
th.number, td.number { text-align: right; max-width: 11rem; }
td.text, tbody th { min-width: 8rem; }
thead th { vertical-align: bottom; border-bottom: 2px solid var(--line); }
thead small { display: block; }
tbody th { font-weight: 600; }
td small, tbody th small { display: block; }
td.number { font-variant-numeric: tabular-nums; }
thead th { line-height: 1.3; }
.figure, .interval, .unmeasured { white-space: nowrap; }
.unmeasured { color: var(--soft); font-style: italic; }
figure { margin: 1.5rem 0; }
figure .wide { background: #ffffff; border: 1px solid var(--line); border-radius: .4rem;
  width: fit-content; max-width: 100%; }
figure img { display: block; width: 46rem; max-width: 100%; min-width: 27rem; height: auto;
  padding: .5rem; }
figcaption { max-width: 46rem; }
summary { cursor: pointer; }
@media (max-width: 48rem) { dl { grid-template-columns: 1fr; }
  dd { padding-bottom: .4rem; } }
@media print { :root { --ink: #000000; --soft: #333333; --ground: #ffffff; --card: #ffffff;
  --line: #999999; --accent: #000000; --warn: #000000; }
  body { max-width: none; font-size: 10pt; } nav { display: none; }
  .wide { overflow: visible; } table { font-size: 8pt; } th, td { min-width: 0; padding: .2rem; }
  h2, h3 { break-after: avoid; } figure, .card, tr { break-inside: avoid; }
  figure img { width: 100%; max-width: 16cm; } }
"""
"""No text of a transcript enters it; its hash stands in the page's security policy."""
