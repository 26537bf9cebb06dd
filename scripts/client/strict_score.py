"""The strict score of a generation, as the client shows it while it runs and writes it at the end."""

from concurrent.futures import Future, ThreadPoolExecutor

from scripts.evals.datasets import Row
from scripts.evals.grading import grade, quick_grade
from scripts.evals.strict import predict


class StrictScorer:
    """Scores generations of one answer type; what needs mathematics is compared in another process, once a pair."""

    def __init__(self, answer_type: str) -> None:
        """`answer_type` as the benchmark says."""
        self._answer_type = answer_type
        self._thread: ThreadPoolExecutor | None = None

    def __call__(self, generation: str, row: Row) -> tuple[str | None, bool]:
        """Return (predicted_answer, symbolic_correct); a comparison that ran out of time is not right."""
        predicted = predict(generation, self._answer_type, row)
        return predicted, self._grade(predicted, row["expected_answer"])

    def soon(self, generation: str, row: Row) -> bool | Future[bool]:
        """Return whether the generation is right, at once where that is cheap."""
        predicted = predict(generation, self._answer_type, row)
        quick = quick_grade(predicted, row["expected_answer"], self._answer_type)
        if quick is not None:
            return quick
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="grade")
        return self._thread.submit(self._grade, predicted, row["expected_answer"])

    def _grade(self, predicted: str | None, expected: str) -> bool:
        """Return whether `predicted` is right; a comparison that runs out of time is not."""
        return bool(grade(predicted, expected, self._answer_type))

    def close(self) -> None:
        """Leave what has not been graded yet to the end of the job."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)
