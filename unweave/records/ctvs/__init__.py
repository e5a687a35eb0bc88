"""CTVS, combining tag and value similarity (Su, Wang, Lochovsky, Liu: TKDE 2012), after a paraphrase of the paper.

``options`` has what is done in each variant: as printed, with errors corrected, and with what is ours. Section numbers
are those of the paraphrase.

Records are found among all siblings that are alike, whether they stand together or not (``regions``, ``segments``); the
list that a person would choose is chosen, and takes in what continues it elsewhere (``sections``). Values are aligned by
their tag path and by what they say: in pairs of records (``pairs``), over all of them (``holistic``), and where a record
repeats a part (``nested``).
"""

from unweave.records.ctvs.columns import by_value
from unweave.records.ctvs.sections import ranked

__all__ = ["by_value", "ranked"]
