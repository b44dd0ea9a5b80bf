"""Encoding beside the event loop: cached, batched, and failing only whoever asked."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
import pytest_asyncio
from threadpoolctl import threadpool_info

from pipeline.encoder import Encoder, EncoderConfig, Vectors
from pipeline.searching.embedding_models import BUNDLED_ENCODER, load_embedding_model
from tests.pipeline.fakes import LetterModel


@pytest_asyncio.fixture
async def model() -> LetterModel:
    return LetterModel()


@pytest_asyncio.fixture
async def encoder(model: LetterModel) -> AsyncIterator[Encoder]:
    encoder = Encoder(model, EncoderConfig(cache_size=2, max_batch=4))
    yield encoder
    await encoder.close()


async def test_a_repeated_question_is_not_encoded_again(
    encoder: Encoder, model: LetterModel
) -> None:
    first = await encoder.query("Is it BLACK?")
    again = await encoder.query("  is it\u3000black？")
    assert np.array_equal(first, again)
    assert len(model.calls) == 1


async def test_questions_that_arrive_together_share_a_batch(
    encoder: Encoder, model: LetterModel
) -> None:
    model.gate.clear()
    questions = [asyncio.create_task(encoder.query(text)) for text in "abcdea"]
    await asyncio.sleep(0)
    model.gate.set()
    vectors = await asyncio.gather(*questions)
    assert sorted(len(call) for call in model.calls) == [1, 4]
    assert np.array_equal(vectors[0], vectors[5])


async def test_the_least_used_question_is_forgotten(encoder: Encoder, model: LetterModel) -> None:
    for text in ("a", "b", "a", "c", "a", "b"):
        await encoder.query(text)
    assert [call[0] for call in model.calls] == ["a", "b", "c", "b"]


async def test_the_event_loop_turns_while_the_model_works(
    encoder: Encoder, model: LetterModel
) -> None:
    model.gate.clear()
    asked = asyncio.create_task(encoder.query("slow"))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not asked.done()
    model.gate.set()
    assert (await asked).shape == (26,)


async def test_one_who_leaves_does_not_take_the_vector_from_another(
    encoder: Encoder, model: LetterModel
) -> None:
    model.gate.clear()
    leaves = asyncio.create_task(encoder.query("same"))
    stays = asyncio.create_task(encoder.query("same"))
    await asyncio.sleep(0)
    leaves.cancel()
    model.gate.set()
    assert (await stays).shape == (26,)
    with pytest.raises(asyncio.CancelledError):
        await leaves


async def test_a_failing_model_fails_the_question_and_not_the_next() -> None:
    class Flaky(LetterModel):
        def encode_query(self, texts: Sequence[str]) -> Vectors:
            if "bad" in texts:
                raise RuntimeError("no memory")
            return super().encode_query(texts)

    encoder = Encoder(Flaky())
    with pytest.raises(RuntimeError, match="no memory"):
        await encoder.query("bad")
    assert (await encoder.query("good")).shape == (26,)
    await encoder.close()


async def test_documents_come_back_in_order_whatever_the_batch() -> None:
    model = LetterModel()
    encoder = Encoder(model, EncoderConfig(document_batch=2))
    texts = ["aaa", "bbb", "ccc", "ddd", "eee"]
    assert np.array_equal(await encoder.documents(texts), model.encode_document(texts))
    assert (await encoder.documents([])).shape == (0, 26)
    await encoder.close()


async def test_a_question_does_not_wait_for_documents_behind_it() -> None:
    class Slow(LetterModel):
        def __init__(self) -> None:
            super().__init__()
            self.priorities: list[int] = []
            self.began, self.finish = threading.Event(), threading.Event()

        def encode_document(self, texts: Sequence[str]) -> Vectors:
            if texts == ["document"]:
                thread = threading.get_native_id()
                self.priorities.append(os.getpriority(os.PRIO_PROCESS, thread))
                self.began.set()
                self.finish.wait(timeout=10)
            return super().encode_document(texts)

    model = Slow()
    encoder = Encoder(model)
    behind = asyncio.create_task(encoder.documents(["document"]))
    assert await asyncio.to_thread(model.began.wait, 5)
    async with asyncio.timeout(5):
        assert (await encoder.query("question")).shape == (26,)
    assert not behind.done()
    model.finish.set()
    assert (await behind).shape == (1, 26)
    assert model.priorities[0] > os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    await encoder.close()


async def test_a_question_is_computed_on_one_thread_and_documents_on_all() -> None:
    class Counting(LetterModel):
        def encode_query(self, texts: Sequence[str]) -> Vectors:
            self.threads = openmp_threads()
            return super().encode_query(texts)

        def encode_document(self, texts: Sequence[str]) -> Vectors:
            self.threads = openmp_threads()
            return super().encode_document(texts)

    import faiss  # brings an OpenMP

    all_threads = faiss.omp_get_max_threads()
    assert all_threads > 1, "a machine of one processor has one thread for everything"
    model = Counting()
    encoder = Encoder(model)
    await encoder.query("question")
    assert set(model.threads) == {1}
    await encoder.documents(["document"])
    assert set(model.threads) == {all_threads}
    await encoder.close()


def openmp_threads() -> list[int]:
    """Of each OpenMP that is loaded, the threads that the calling thread would compute with."""
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "openmp"]


@pytest.mark.parametrize(
    ("question", "right"), [("a kettle made of steel", 1), ("有没有黑色的衬衫", 0)]
)
def test_the_bundled_model_understands_both_languages(question: str, right: int) -> None:
    model = load_embedding_model(BUNDLED_ENCODER, "cpu")
    documents = model.encode_document(
        ["黑色纯棉衬衫", "stainless steel kettle", "木质相框", "wooden picture frame"]
    )
    assert documents.shape == (4, model.dimension)
    assert np.allclose(np.linalg.norm(documents, axis=1), 1.0, atol=1e-3)
    assert int(np.argmax(documents @ model.encode_query([question])[0])) == right


async def test_a_question_asked_behind_holds_up_no_shopper_and_is_remembered() -> None:
    class Slow(LetterModel):
        def encode_query(self, texts: Sequence[str]) -> Vectors:
            if "saved" not in texts:
                return self.encode_document(texts)
            return super().encode_query(texts)

    model = Slow()
    model.gate.clear()
    encoder = Encoder(model)
    behind = asyncio.create_task(encoder.query("Saved", behind=True))
    await asyncio.wait_for(encoder.query("shopper's"), 5)
    assert not behind.done()
    model.gate.set()
    first = await behind
    assert np.array_equal(await encoder.query("saved"), first)
    assert model.calls == [["saved"]]
    await encoder.close()
