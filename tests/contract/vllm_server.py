"""vLLM's own OpenAI server, built around an engine that is already running."""

import warnings
from typing import Any


async def vllm_app(llm: Any) -> Any:
    """The application that `vllm serve` would serve, with the figures that it gives on request."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from vllm.entrypoints.launchers.api_server.app_state import init_app_state
        from vllm.entrypoints.launchers.app import build_app
        from vllm.entrypoints.launchers.cli_args import make_arg_parser
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        arguments = make_arg_parser(FlexibleArgumentParser()).parse_args(
            [
                f"--model={llm.model_config.model}",
                "--enable-prompt-tokens-details",
                "--enable-per-request-metrics",
                "--disable-log-stats",
            ]
        )
        tasks = await llm.get_supported_tasks()
        app = build_app(arguments, tasks, llm.model_config)
        await init_app_state(llm, app.state, arguments, tasks)
    return app
