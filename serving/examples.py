"""What is printed when it answers: the address, and two commands to try."""

import shlex

from serving.settings import Settings

_CHAT = '{"message": "How much is the Essence Mascara Lash Princess?"}'
_OPENAI = (
    '{"messages": [{"role": "user", "content": "轻奢纯棉刺绣水洗四件套是什么材质的？"}], '
    '"stream": true}'
)


def examples(settings: Settings, port: int, seconds: float) -> str:
    """The lines, for a server on `port` that took `seconds` to start."""
    host = settings.host if settings.host not in ("0.0.0.0", "::") else "127.0.0.1"
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return (
        f"\nHotshelf answers on {url} (ready after {seconds:.0f} s; Ctrl-C ends it). Try:\n\n"
        f"{_curl(settings, url + '/chat', _CHAT)}\n\n"
        f"{_curl(settings, url + '/v1/chat/completions', _OPENAI)}\n"
    )


def _curl(settings: Settings, url: str, body: str) -> str:
    key = ' -H "Authorization: Bearer $KEY"' if settings.api_keys else ""
    return f"curl -N {url}{key} -H 'Content-Type: application/json' \\\n     -d {shlex.quote(body)}"
