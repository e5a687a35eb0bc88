"""The incompressible cost after each split, against its definition."""

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracles import incompressible
from tests.wrappers.landmarks.tables import tables
from unweave.wrappers.landmarks.costs import IncompressibleCost


@given(tables, st.randoms(use_true_random=False))
def test_the_cost_after_every_split_is_that_of_the_definition(table, random):
    assume(table.find_splits(table.whole_pages))
    waiting = [table.whole_pages]
    while waiting:
        regions = waiting.pop()
        splits = table.find_splits(regions)
        sweep = IncompressibleCost(table, regions)
        assert sweep.cost == incompressible(table, regions)
        expected = []
        for split in splits:
            finished, parts = table.apply_split(regions, split)
            expected.append(finished + sum(incompressible(table, part) for part in parts))
        assert sweep.compute_after(splits, cutoff=10**6) == expected
        if splits:
            left = IncompressibleCost(table, regions).compute_after(splits)
            assert min(left) == min(expected)
            assert [value == min(left) for value in left] == [
                value == min(left) for value in expected
            ]
            waiting.extend(table.apply_split(regions, random.choice(splits))[1])
