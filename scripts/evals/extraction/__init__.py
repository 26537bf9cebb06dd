"""The broad extractor: where the answer may stand, what marks it, and what it says."""
