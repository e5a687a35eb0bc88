"""A bounded mutational fuzzer over all verbs: ``python -m fuzz --help``, or ``make fuzz``."""
