"""Chat templates as models have them, and a tokenizer that has one."""

from collections.abc import Callable

from pipeline.prompting.tokenizer import Tokenizer

Instruct = Callable[[str], Tokenizer]
"""Makes the bundled model's tokenizer one with this chat template."""

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MERGING = (
    "{{ bos_token }}{% set ns = namespace(first='') %}"
    "{% for m in messages %}{% if m.role == 'system' %}{% set ns.first = m.content + '\n\n' %}"
    "{% else %}<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ ns.first }}{{ m.content | trim }}<end_of_turn>\n{% set ns.first = '' %}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
REFUSING = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
DROPPING = "{{ bos_token }}{{ messages[-1].content }}"
UNMARKED = (
    "{% for m in messages %}{% if m.role == 'user' %}USER: {% else %}BOT: {% endif %}"
    "{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}BOT:{% endif %}"
)
