"""A recording as other things: one module for each, with ``write(recording, target)``.

``tape_file`` (.tape), ``html`` (.html, interactive), ``chrome_trace`` (.json), ``summary_text`` and ``summary_html``
(what stands beside a widget), ``diff_page`` (the difference of two recordings); ``figures`` makes matplotlib figures.
Each is loaded on first use, for some need matplotlib.
"""

from tapeviz.namespaces.lazy import attach

attach(__name__)
