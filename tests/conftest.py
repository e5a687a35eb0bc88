"""What holds for all tests."""

import os

from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, and nothing of the code. The examples are the same every time, so
# that a change is judged by what it changes; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))
