"""The command line, with workers of ``site`` that stop at a step for ever.

    python -m tests.pipeline.held STEP FOLDER WORD...

A worker that has stopped creates a file in the folder with its process id as name.
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
