"""A child of `equivalence` that never answers."""

import time

if __name__ == "__main__":
    print('"ready"', flush=True)
    time.sleep(60)
