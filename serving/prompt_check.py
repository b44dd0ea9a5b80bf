"""The lint of the templates, with the settings and the model that a server would have."""

import asyncio
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from pipeline.prompting.lint import Report, check
from pipeline.prompting.rendering import TEMPLATES
from pipeline.prompting.sizes import PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from serving import configs, parts
from serving.console import ConsoleProgress
from serving.settings import Settings
from serving.startup import StartError


def check_prompts(settings: Settings, templates: Path | None) -> tuple[Report, PromptConfig]:
    """What is found in `templates`, or in those that come with the program. The bundled model is
    unpacked if it must be. Raises `StartError`."""
    config = _config(settings, templates or TEMPLATES)
    with ConsoleProgress(Console(stderr=True)) as progress:
        model = asyncio.run(parts.find_model(settings, progress))
    try:
        return check(Tokenizer.load(model), config), config
    except (OSError, ValueError) as error:
        raise StartError(f"no prompt can be built for {model}: {error}") from error


def _config(settings: Settings, templates: Path) -> PromptConfig:
    if not templates.is_dir():
        raise StartError(f"there is no folder {str(templates)!r} to take templates from")
    return replace(configs.prompt(settings), templates=templates)
