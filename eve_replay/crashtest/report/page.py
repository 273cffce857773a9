"""The result as one HTML page without a script: it can be kept as an artefact of a build."""

from __future__ import annotations

from html import escape

from eve_replay.crashtest.campaign import Outcome
from eve_replay.crashtest.report.story import story
from eve_replay.crashtest.report.terminal import matrix
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.table import table_html

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; --harm: #c62828; --ok: #2e7d32; --soft: #8884; --warn: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --harm: #ff8a80; --ok: #81c995; --warn: #e3b341; } }
body { font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; margin: 2rem auto; max-width:
74rem; padding: 0 1rem; } h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top:
2rem; } .quiet { opacity: .75; } .promise { border-left: .3rem solid var(--soft); padding: .3rem 1rem;
margin: 1rem 0; } .broken { border-color: var(--harm); } .kept { border-color: var(--ok); }
.broken b.state { color: var(--harm); } .kept b.state { color: var(--ok); }
ol { margin: .4rem 0; padding-left: 1.4rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .25rem .8rem
.25rem 0; border-bottom: 1px solid var(--soft); vertical-align: top; }
"""


def page(outcome: Outcome) -> str:
    """Return the page."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>Crash test of {_safe(outcome.project)}</title><style>{_STYLE}</style>",
        f"<h1>Crash test of {_safe(outcome.project)}</h1>",
        f"<p class=quiet>{_safe(str(outcome.seals['words']))}. Answers of the model: {_safe(outcome.door)}. "
        f"It comes back {_safe(outcome.mode)}; lease {outcome.config.lease} s.</p>",
    ]
    for each in outcome.verdicts:
        state = each.state.split(" ")[0]
        parts.append(
            f"<div class='promise {state}'><b class=state>{_safe(each.state)}</b>: "
            f"{_safe(each.promise.words)}"
        )
        if each.note:
            parts.append(f"<p>{_safe(each.note)}</p>")
        if each.broken:
            lines = "".join(f"<li>{_safe(text)}</li>" for text in story(each.broken[0]))
            parts.append(
                f"<p>At {len(each.broken)} of {len(outcome.results)} runs. "
                f"The shortest way:</p><ol>{lines}</ol>"
            )
        parts.append("</div>")
    same, of = outcome.agreed
    parts += [
        f"<h2>Observed at every point</h2><p class=quiet>As the folder at death implied: {same} of {of}.</p>",
        f"<div class=scroll>{table_html(matrix(outcome))}</div>",
        f"<p class=quiet>{len(outcome.results)} runs, {outcome.seconds:.0f} s, {outcome.cpu:.0f} s CPU.</p>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _safe(text: str) -> str:
    return escape(safe_text(text))
