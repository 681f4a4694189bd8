"""One way to ask each client, so that a test says the same of all of them."""

import asyncio
from typing import ClassVar

import anthropic
import mistralai.client
import openai
from google import genai


class Driver:
    """Asks one client; `kwargs` are its own. What comes back is its own too; `text` reads it."""

    system = ""

    _clients: ClassVar = {}

    def client(self, url):
        """The same for every test: most of a client's making is reading the trusted roots."""
        key = (type(self), url)
        if key not in self._clients:
            self._clients[key] = self.make(url)
        return self._clients[key]

    def make(self, url):
        raise NotImplementedError

    def async_client(self, url):
        """A fresh one, since it belongs to one event loop."""
        return self.make(url)

    def ask(self, client, model, prompt, **kwargs):
        raise NotImplementedError

    def stream(self, client, model, prompt, **kwargs):
        raise NotImplementedError

    async def ask_async(self, client, model, prompt, **kwargs):
        return await self.ask(client, model, prompt, **kwargs)

    async def stream_async(self, client, model, prompt, **kwargs):
        return await self.stream(client, model, prompt, **kwargs)

    def text(self, response):
        raise NotImplementedError

    def chunk(self, chunk):
        raise NotImplementedError

    def read(self, client, model, prompt="hi", **kwargs):
        """The text of a stream as far as it came, and what ended it."""
        texts = []
        try:
            for chunk in self.stream(client, model, prompt, **kwargs):
                texts.append(self.chunk(chunk) or "")
        except Exception as error:
            return "".join(texts), error
        return "".join(texts), None

    def read_async(self, client, model, prompt="hi", **kwargs):
        texts = []

        async def read():
            try:
                async for chunk in await self.stream_async(client, model, prompt, **kwargs):
                    texts.append(self.chunk(chunk) or "")
            except Exception as error:
                return error
            return None

        error = asyncio.run(read())
        return "".join(texts), error


class OpenAIChat(Driver):
    system = "openai"

    def make(self, url):
        return openai.OpenAI(base_url=f"{url}/openai/v1", api_key="none", max_retries=0)

    def async_client(self, url):
        return openai.AsyncOpenAI(base_url=f"{url}/openai/v1", api_key="none", max_retries=0)

    def ask(self, client, model, prompt, **kwargs):
        messages = [{"role": "user", "content": prompt}]
        return client.chat.completions.create(model=model, messages=messages, **kwargs)

    def stream(self, client, model, prompt, **kwargs):
        return self.ask(client, model, prompt, stream=True, **kwargs)

    def text(self, response):
        return response.choices[0].message.content

    def chunk(self, chunk):
        return chunk.choices[0].delta.content


class OpenAIResponses(OpenAIChat):
    def ask(self, client, model, prompt, **kwargs):
        return client.responses.create(model=model, input=prompt, **kwargs)

    def text(self, response):
        return response.output_text

    def chunk(self, chunk):
        return chunk.delta if chunk.type == "response.output_text.delta" else ""


class Anthropic(Driver):
    system = "anthropic"

    def make(self, url):
        return anthropic.Anthropic(base_url=f"{url}/anthropic", api_key="none", max_retries=0)

    def async_client(self, url):
        return anthropic.AsyncAnthropic(base_url=f"{url}/anthropic", api_key="none", max_retries=0)

    def ask(self, client, model, prompt, **kwargs):
        messages = [{"role": "user", "content": prompt}]
        return client.messages.create(model=model, max_tokens=99, messages=messages, **kwargs)

    def stream(self, client, model, prompt, **kwargs):
        return self.ask(client, model, prompt, stream=True, **kwargs)

    def text(self, response):
        return "".join(block.text for block in response.content if block.type == "text")

    def chunk(self, chunk):
        return getattr(getattr(chunk, "delta", None), "text", "")


class Google(Driver):
    system = "google"

    def make(self, url):
        return genai.Client(api_key="none", http_options={"base_url": f"{url}/google"})

    def ask(self, client, model, prompt, **kwargs):
        return client.models.generate_content(model=model, contents=prompt, **kwargs)

    def stream(self, client, model, prompt, **kwargs):
        return client.models.generate_content_stream(model=model, contents=prompt, **kwargs)

    async def ask_async(self, client, model, prompt, **kwargs):
        return await self.ask(client.aio, model, prompt, **kwargs)

    async def stream_async(self, client, model, prompt, **kwargs):
        return await self.stream(client.aio, model, prompt, **kwargs)

    def text(self, response):
        return response.text

    def chunk(self, chunk):
        parts = (chunk.candidates[0].content and chunk.candidates[0].content.parts) or []
        return "".join(part.text or "" for part in parts if not part.thought)


class Mistral(Driver):
    system = "mistral"

    def make(self, url):
        return mistralai.client.Mistral(api_key="none", server_url=f"{url}/mistral")

    def ask(self, client, model, prompt, **kwargs):
        return client.chat.complete(model=model, messages=_messages(prompt), **kwargs)

    def stream(self, client, model, prompt, **kwargs):
        return client.chat.stream(model=model, messages=_messages(prompt), **kwargs)

    async def ask_async(self, client, model, prompt, **kwargs):
        return await client.chat.complete_async(model=model, messages=_messages(prompt), **kwargs)

    async def stream_async(self, client, model, prompt, **kwargs):
        return await client.chat.stream_async(model=model, messages=_messages(prompt), **kwargs)

    def text(self, response):
        return response.choices[0].message.content

    def chunk(self, chunk):
        return chunk.data.choices[0].delta.content


def _messages(prompt):
    return [{"role": "user", "content": prompt}]


DRIVERS = [OpenAIChat(), OpenAIResponses(), Anthropic(), Google(), Mistral()]


def name(driver):
    return type(driver).__name__
