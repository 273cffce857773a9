"""Plotly figures of sessions and turns: timeline, matrix, strategies, growth, attempts.

Each takes whatever names a session (source, journal, session, turn, step, attempt or call), has a title that
says what was found, and says in words when there is nothing to draw. ``theme=None`` follows the page (see
:func:`~eve_replay.notebook.figures.frame.page_theme`). They are plain ``plotly.graph_objects.Figure``.
"""

from eve_replay.notebook.figures.points import matrix_figure, strategies_figure
from eve_replay.notebook.figures.steps import attempts_figure, growth_figure
from eve_replay.notebook.figures.times import timeline_figure

__all__ = ["attempts_figure", "growth_figure", "matrix_figure", "strategies_figure", "timeline_figure"]
