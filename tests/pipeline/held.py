"""``python -m tests.pipeline.held STEP FOLDER WORD...``: the command line, whose workers stop at a step of ``site`` for ever.

A worker that has stopped leaves a file in the folder with its number as name.
"""

import os
import sys
import threading
from pathlib import Path

from unweave.cli import main
from unweave.pipeline import run

STEPS = {"scan": "scan_shard", "learn": "learn_sites", "apply": "apply_to_shard"}


def hold(task):
    Path(os.environ["HELD_IN"], str(os.getpid())).touch()
    threading.Event().wait()
    return task


if __name__ == "__main__":
    step, os.environ["HELD_IN"], *words = sys.argv[1:]
    setattr(run, STEPS[step], hold)
    main(words)
