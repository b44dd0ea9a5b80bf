"""`hotshelf check`: what can be told of a shop's own texts before a server runs on them."""

from pathlib import Path
from typing import Annotated

import typer

from serving import preflight
from serving.failures import clear_failures
from serving.library_env import prepare
from serving.settings import load_settings

app = typer.Typer(no_args_is_help=True)


@app.callback()
def check() -> None:
    """Check a shop's own texts."""


@app.command()
def prompt(
    templates: Annotated[
        Path | None, typer.Option(help="Folder of the templates; else the ones that come with it.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="As HOTSHELF_MODEL; only its tokenizer is read.")
    ] = None,
) -> None:
    """See that prompts share what they can: no clock, id or chance stands before the question.

    Names the template and its line, the first byte that changes, and the tokens of reuse lost;
    fails if there is anything of that. Warns of a head that is short or long.
    """
    with clear_failures():
        settings = load_settings()
        if model is not None:
            settings = settings.model_copy(update={"model": model})
        prepare(settings)
        preflight.check_model(settings.model)
        from serving.prompt_check import check_prompts

        report, config = check_prompts(settings, templates)
    for found in report.findings:
        level = "error" if found.is_error else "warning"
        where = f"{config.templates / found.file}:{found.line}"
        typer.echo(f"{where}: {level}: {found.text}", err=found.is_error)
    for locale, size in report.heads.items():
        whole = size // config.block_tokens
        typer.echo(f"{locale}: a head of {size} tokens, {whole} blocks of {config.block_tokens}")
    if not report.is_clean:
        raise typer.Exit(1)
