"""platform_llm with the real packages of the providers."""
