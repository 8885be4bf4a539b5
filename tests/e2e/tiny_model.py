"""A tiny language model with random weights in a GGUF file: bytes and a few markers as tokens, one layer.

What it writes is noise, nearly the same chance for every token: the less a model knows, the more a grammar has to hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import gguf
import numpy as np

END = "<|tiny-end|>"
"""The token that ends a text; no template uses it."""
END_NUMBER = 256
FIRST_MARKER = 257
"""The number of the first marker, behind the bytes and the end."""
_WIDTH, _HIDDEN, _HEADS, _CONTEXT = 32, 64, 2, 8192
_LIKE_CONTROL = re.compile(r"<[|｜][^|｜]*[|｜]>|\[/?[A-Z_]+\]")
_CONTROL, _USER_DEFINED, _NORMAL = 3, 4, 1


def byte_letters() -> list[str]:
    """Return for each byte the letter that stands for it in a vocabulary of the GPT-2 kind."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = (byte for byte in range(256) if byte not in shown)
    letters = {byte: chr(byte) for byte in shown} | {byte: chr(256 + number) for number, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]


_ENDS_FOR_LLAMA = ("<|call|>", "<|calls|>", "<|end|>", "<|eot|>", "<|eom|>", "<|im_end|>", "<|return|>", "</s>", "[e]", "<eos>")
"""Texts that llama.cpp takes for the end of a text where a vocabulary has them as tokens, whatever they are for a template."""


def as_tokens(texts: Iterable[str]) -> list[str]:
    """Return the texts that can be tokens of their own beside the bytes, each once."""
    return list(dict.fromkeys(text for text in texts if len(text) > 1 and text not in _ENDS_FOR_LLAMA))


def vocabulary(markers: Sequence[str]) -> list[str]:
    """Return the tokens: a byte's number is its own, then the end and the markers."""
    return [*byte_letters(), END, *markers]


def write_tiny_model(path: Path, markers: Sequence[str]) -> None:
    """Write the model; each marker is one token, a control token where it looks like one."""
    tokens = vocabulary(markers)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_HIDDEN)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([_NORMAL] * 256 + [_CONTROL] + [_type(marker) for marker in markers])
    writer.add_token_merges([f"{tokens[0x20]} {tokens[0x20]}"])
    writer.add_bos_token_id(tokens.index(END))
    writer.add_eos_token_id(tokens.index(END))
    writer.add_add_bos_token(False)
    for name, values in _weights(len(tokens)).items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _type(marker: str) -> int:
    return _CONTROL if is_control(marker) else _USER_DEFINED


def is_control(marker: str) -> bool:
    """Return whether a marker is a control token, which a server shows only on demand."""
    return _LIKE_CONTROL.fullmatch(marker) is not None


def _weights(tokens: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(0)
    square, up, down = (_WIDTH, _WIDTH), (_HIDDEN, _WIDTH), (_WIDTH, _HIDDEN)
    shapes = {"token_embd": (tokens, _WIDTH), "output": (tokens, _WIDTH)}
    shapes |= {f"blk.0.attn_{part}": square for part in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": up, "blk.0.ffn_up": up, "blk.0.ffn_down": down}
    made = {f"{name}.weight": (chance.standard_normal(shape) * 0.05).astype(np.float32) for name, shape in shapes.items()}
    norms = ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")
    return made | {f"{name}.weight": np.ones(_WIDTH, np.float32) for name in norms}
