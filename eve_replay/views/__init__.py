"""View-models: plain frozen data, the only input of command line, notebook and terminal UI.

Everything here is made from the journal (and, for crashes, from the recovery engine); nothing draws.
Texts are safe to draw (``views/safe.py``), tones are words (``views/tone.py``), every view has
``to_json()`` with camelCase names. Nothing decodes more than it shows.

One object per session holds it all::

    from eve_replay import open_journal
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.session.sessions import session_rows, filter_rows, sort_rows

    journal = open_journal(source)
    rows = session_rows(journal.heads)           # 10,000 sessions: run records only, nothing decoded
    rows = filter_rows(rows, "status:parked refund")
    view = Explorer(journal.session(rows[0].id)) # joins one session
    view.row(now=...)                            # its SessionRow with turns, attempts, parks filled in
    view.tree.rows; view.tree.visible(open_keys); view.tree.opened
    view.timeline.rows; view.timeline.place(ms); view.timeline.ticks(); view.timeline.minimap
    view.turn_timeline("turn_0")
    here = view.cursor.first()                   # a Position
    here = view.cursor.move(here, "next-event")  # actions of views/keys.py; also into, out, next-effect ...
    here = view.cursor.go(here, "evnt_...14")
    view.inspector.tabs(here.focus)              # TabHead(name, title, remark)
    view.inspector.tab(here.focus, "output").body
    view.inspector.diff(here.focus)              # AttemptDiffView of the step, or None
    view.search("cus_42")                        # Hits with keys to go to
    view.transcript(); view.effect_rows()

**Keys** name whatever can be selected, in every view alike (``views/base.py``): ``session:ID``,
``turn:SESSION/TURN``, ``run:RUN``, ``step:RUN/STEP``, ``attempt:RUN/STEP/N``,
``model:RUN/STEP/N/INDEX/TURN``, ``call:RUN/STEP/N/CALL``, ``event:RUN/EVENT``, ``chunk:CHUNK``,
``park:TURN/N``, ``group:SESSION/beside``. ``split_key`` takes one apart. ``TreeRow.key``, ``Bar.key``,
``Mark.key``, ``Position.focus``, ``Position.event``, ``EffectRow.key`` and ``EvidenceRow.key`` are all
such keys; ``Tree.ancestors(key)`` says what to open.

**Modules**

- ``sessions``: ``SessionRow``, ``session_rows``, ``detailed``, ``filter_rows``, ``sort_rows``.
- ``tree``: ``Tree`` of flat ``TreeRow`` with ``Badge``; ``timeline``: ``Timeline``, ``TimelineRow``,
  ``Bar`` (phase queued, attempt, dead, retry-wait, parked, replayed, model, tool; lane 0 are the phases),
  ``Mark`` (start, commit, error, release); ``scale``: ``Tick``, ``Knot``, ``Minimap``.
- ``stops`` and ``cursor``: ``Stop``, ``Cursor``, ``Position``.
- ``inspector``: ``Inspector``, ``TabHead``, ``Tab``. Bodies: ``value.ValueTree`` (input, output),
  ``state.StateView``, ``diff.DiffView`` (state diff), and tuples of ``messages.MessageRow``,
  ``records.EventRow``, ``stream.StreamRow``, ``attempts.AttemptRow``, ``effects.EffectRow``,
  ``raw.RawView``, ``evidence.EvidenceRow``.
- ``diff``: ``DiffView``, ``DiffRow``, ``PieceView``; ``sides(a, b)`` compares values, ``diff_lines``
  writes text. ``attempt_diff``: ``AttemptDiffView`` with ``RepeatRow`` (duplicate effects, on top),
  ``FactRow``, ``ModelPair``, ``CallPair``. ``step_diff``: steps and runs.
- ``crash``: ``CrashLab`` (rows in ``crash_rows``: ``CrashView``, ``CrashPointRow`` ...); ``matrix``:
  ``MatrixView``. ``search``: ``Hit``.
- ``transcript``: ``TranscriptRow``, ``transcript_lines``. ``postmortem``: why and doctor as lines.
- ``value``: ``ValueTree``, ``ValueRow``; ``records``: runs, steps and events straight from records.
- ``text``, ``table``, ``safe``, ``words``, ``tone``, ``keys``: what all front ends share.
"""
