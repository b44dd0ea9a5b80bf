"""Implementations of `pipeline.engine.Engine`: vLLM in-process, OpenAI over HTTP, scripted."""
