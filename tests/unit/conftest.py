"""A busy machine is slow, not wrong: the examples of a property have no deadline."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
