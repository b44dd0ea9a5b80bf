"""A real browser before the whole line: the real chat, a real Redis, an engine that reads aloud."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from playwright.async_api import Browser, Page, async_playwright

from pipeline.chat import Chat, ChatConfig
from pipeline.encoder import Encoder
from pipeline.engine import Chunk, GenerationRequest
from pipeline.finding import make_finder
from pipeline.foreseeing.foresight import Foresight
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from serving.sessions import RedisSessions, SessionConfig
from tests.admin.conftest import admin_services
from tests.pipeline.fakes import LetterModel
from tests.serving.conftest import redis
from tests.serving.server import serving

__all__ = ["admin_services", "redis"]

CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
_AMOUNT = re.compile(r"\d+\.\d\d")


class ReadingEngine(ScriptedEngine):
    """Says the amounts that its prompt holds, so that a test sees what an answer stands on.

    Those of the examples, which are in every prompt, are left out. It says `also` behind them.
    """

    also = ""

    def __init__(self, tokenizer: Tokenizer, prompts: PromptBuilder) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        heads = prompts.heads().values()
        self._examples = {amount for head in heads for amount in self._amounts(head)}

    def _amounts(self, token_ids: tuple[int, ...]) -> list[str]:
        return list(dict.fromkeys(_AMOUNT.findall(self._tokenizer.decode(token_ids))))

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        amounts = [a for a in self._amounts(request.token_ids) if a not in self._examples]
        said = "It costs " + " and ".join(amounts) + self.also
        engine = ScriptedEngine(ScriptedConfig(text=said))
        async for chunk in engine.generate(request):
            yield chunk


@dataclass(frozen=True)
class Desk:
    """Where a merchandiser sits: a page of a browser, and the address of the shop."""

    services: Services
    page: Page
    url: str
    engine: ReadingEngine

    async def sign_in(self) -> None:
        """As somebody who may import."""
        token = await self.services.catalog.tokens.create("anna", "import")
        await self.page.goto(f"{self.url}/admin")
        await self.page.get_by_label("Token").fill(token)
        await self.page.get_by_role("button", name="Sign in").click()
        await self.page.wait_for_url(f"{self.url}/admin")


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium, driven by Playwright; it asks nothing of anyone but the test's server."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not there (Debian package chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=_ARGUMENTS, timeout=90_000
        )
        yield browser
        await browser.close()


@pytest.fixture
async def desk(admin_services: Services, browser: Browser, model_dir: Path) -> AsyncIterator[Desk]:
    """A browser before the running shop."""
    tokenizer = Tokenizer.load(model_dir)
    records = cast(Records, admin_services.records)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    prompts = PromptBuilder(tokenizer, PromptConfig())
    engine = ReadingEngine(tokenizer, prompts)
    sessions = RedisSessions(admin_services.redis, SessionConfig())
    finder = await make_finder(prompts.templates, records, retriever)
    replies = Replies.beside(prompts)
    following = asyncio.create_task(admin_services.catalog.policies.follow(replies.policies.use))
    chat = Chat(
        records,
        finder,
        replies,
        prompts,
        engine,
        sessions,
        ChatConfig(),
    )
    foresight = Foresight(records, retriever, finder, replies, prompts)
    services = replace(admin_services, chat=chat, engine=engine, foresight=foresight, finder=finder)
    async with serving(services) as port:
        context = await browser.new_context(locale="en-US")
        context.set_default_timeout(60_000)
        yield Desk(services, await context.new_page(), f"http://127.0.0.1:{port}", engine)
        await context.close()
    following.cancel()
    await encoder.close()
