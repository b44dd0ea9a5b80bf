"""What the libraries below us read from the environment; set before the first of them is imported.

They fetch nothing when everything is here, report nothing to anyone, and leave the terminal to
us. A variable that the operator has set is left as it is. vLLM's own are in
`serving/engines/profile.py`.
"""

import logging
import os
import warnings
from pathlib import Path

from serving.settings import Settings

_ALWAYS = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
_QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "PYTHONWARNINGS": "ignore",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "TORCH_LOGS": "-all",  # errors only
    "TQDM_DISABLE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}
_LOUD = {"VLLM_LOGGING_LEVEL": "INFO"}


def prepare(settings: Settings) -> None:
    """Set the variables and the log level of this process and of those that it starts."""
    wanted = dict(_ALWAYS)
    if settings.model is None or Path(settings.model).expanduser().is_dir():
        wanted["HF_HUB_OFFLINE"] = "1"
    if settings.log_level == "debug":
        wanted |= _LOUD
    else:
        wanted |= _QUIET
        warnings.simplefilter("ignore")
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
