"""What the tests of the client share with those of serving: the real model's file."""

from tests.serving.conftest import real_model

__all__ = ["real_model"]
