"""The weights of the features, as ``python -m bench.fit`` fitted them; it prints how well they do on sites left out."""

from unweave.lists.features import Features

QUICK_WEIGHTS = Features(
    coverage=1.29,
    relative_count=-6.34,
    gap_share=-8.52,
    size_variation=-6.3,
    shortest_length=0.964,
    has_joined_records=-1.1,
    boilerplate_depth=-1.01,
    content_depth=0.557,
    link_share=-1.39,
    log_count=3.64,
    image_share=1.29,
    depth=1.5,
    off_center=-0.938,
    parent_spread=-6.39,
)
"""The weights of the quick features, which choose the candidates that are compared closely."""

WEIGHTS = Features(
    coverage=1.24,
    relative_count=-5.75,
    gap_share=-7.96,
    size_variation=-3.27,
    shortest_length=0.562,
    has_joined_records=-2.31,
    boilerplate_depth=-1.18,
    content_depth=0.476,
    link_share=-1.3,
    log_count=1.13,
    image_share=1.21,
    depth=0.538,
    off_center=0.837,
    parent_spread=-2.37,
    template_gain=4.92,
    log_gain=0.717,
    relative_gain=0.609,
    repetition=-2.86,
    single_share=0.384,
    entropy=-1.19,
    common_paths=1.51,
    missed_siblings=-4.22,
    distinct_share=5.57,
    tag_similarity=4.28,
)
"""The weights of all features, which choose the best list."""

CALIBRATION_WEIGHTS = Features(
    coverage=0.695,
    relative_count=-2.45,
    gap_share=-9.23,
    size_variation=2.23,
    shortest_length=-0.461,
    has_joined_records=-0.688,
    boilerplate_depth=-0.0879,
    content_depth=0.116,
    link_share=1.37,
    log_count=-0.333,
    image_share=0.0655,
    depth=-0.186,
    off_center=-2.08,
    parent_spread=-1.42,
    template_gain=-0.467,
    log_gain=1.83,
    relative_gain=-0.437,
    repetition=-1.74,
    single_share=-1.84,
    entropy=-0.584,
    common_paths=1.01,
    missed_siblings=-8.03,
    distinct_share=-1.04,
    tag_similarity=5.22,
)
"""The weights of all features in the confidence that a list is right."""

CALIBRATION_SLOPE = 0.267
"""The weight of a candidate's log odds against the others of its page in the confidence."""
CALIBRATION_INTERCEPT = 3.43
