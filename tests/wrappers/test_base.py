"""Files of wrappers."""

import pytest

from unweave import WrapperError
from unweave.wrappers.base import Wrapper


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "not an unweave wrapper"),
        ('{"a": 1}', "not an unweave wrapper"),
        ('{"unweave": "wrapper", "version": 99}', "version 99; this program reads version 1"),
        ('{"unweave": "wrapper", "version": 1, "kind": "magic"}', "unknown kind: 'magic'"),
        ('{"unweave": "wrapper", "version": 1, "kind": []}', r"unknown kind: \[\]"),
        (
            '{"unweave": "wrapper", "version": 1, "kind": "records"}',
            "is damaged: it has no 'paths'",
        ),
    ],
)
def test_damaged_and_other_files_are_refused(text, reason):
    with pytest.raises(WrapperError, match=reason):
        Wrapper.loads(text)
