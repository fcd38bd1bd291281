"""The tools by the converters of three vendors' SDKs, called as strict function calling does.

A model in strict mode fills every argument: what it leaves out is null, an empty text or an empty
list. So each tool is called as its examples are, and again with each of these for what is optional;
the answer must be the same. Each check is printed as a line of JSON: `{name, held, said}`.
"""

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

# The environment of these SDKs is not that of the tests, so nothing here has their types.
OPENAI = import_module("agents.mcp")
ANTHROPIC, ANTHROPIC_MCP = import_module("anthropic"), import_module("anthropic.lib.tools.mcp")
GOOGLE = import_module("google.genai._mcp_utils")

EMPTY: dict[str, Any] = {"null": None, '""': "", "[]": []}
GEMINI_FORMATS = {"STRING": {"date-time", "enum"}, "INTEGER": {"int32", "int64"}, "NUMBER": set()}
"""The formats that Gemini takes, by type; any other is an error of its API."""
ARGUMENTS: dict[str, dict[str, Any]] = {
    "get_project": {"slug": "tidebook"},
    "send_contact": {
        "name": "Ines Ferreira",
        "email": "ines@harbour.example",
        "message": "Could you review our tide forecasts in March, please?",
        "dryRun": True,
    },
    "search": {"query": "ledger"},
    "ask": {"query": "What is Tidebook?"},
    "route_intent": {"goal": "write to the human"},
    "read": {"section": "faq"},
    "fetch": {"id": "projects/tidebook"},
    "verify": {"section": "projects"},
    "subscribe": {"url": "https://hooks.example.com/changes"},
    "unsubscribe": {"id": "sub_0", "secret": "whsec_0"},
}
"""What each tool is called with; the last two are refused, in the same words each time."""


def said(name: str, *, held: bool, text: object = "") -> None:
    """Print the result of a check."""
    line = {"name": name, "held": held, "said": str(text)[:600]}
    sys.stdout.write(f"{json.dumps(line)}\n")


def beyond_gemini(schema: dict[str, Any]) -> list[object]:
    """Return the formats in a converted schema that Gemini refuses."""
    kind = str(schema.get("type", "")).rpartition(".")[2]
    own = schema.get("format")
    found: list[object] = [own] if own and own not in GEMINI_FORMATS.get(kind, ()) else []
    parts = [*(schema.get("properties") or {}).values(), *(schema.get("any_of") or ())]
    parts += [schema["items"]] if schema.get("items") else []
    return found + [one for part in parts for one in beyond_gemini(part)]


def converted(tool: Any) -> None:
    """Convert a tool as Anthropic's and Google's SDKs do."""
    schema = tool.input_schema
    try:
        strict = ANTHROPIC.transform_schema(schema)
        said(f"Anthropic: {tool.name}", held=strict["additionalProperties"] is False)
        gemini = GOOGLE.mcp_to_gemini_tool(tool).model_dump(mode="json", exclude_none=True)
        (declared,) = gemini["function_declarations"]
        left = beyond_gemini(declared["parameters"])
        said(f"Google: {tool.name}", held=not left, text=left)
    except Exception as error:  # noqa: BLE001 - whatever a converter raises is what is looked for
        said(f"{tool.name} is converted", held=False, text=repr(error))


async def check(address: str) -> None:
    """Convert and call every tool."""
    async with OPENAI.MCPServerStreamableHttp(params={"url": f"{address}/mcp"}) as server:
        tools = await server.list_tools()
        for function in await OPENAI.MCPUtil.get_function_tools(server, True, None, None):
            said(f"OpenAI: {function.name}", held=function.strict_json_schema)
        for tool in tools:
            converted(tool)
            ANTHROPIC_MCP.async_mcp_tool(tool, server.session)
            given = ARGUMENTS.get(tool.name, {})
            answer = await answered(server, tool, given)
            for name, empty in EMPTY.items():
                filled = {**dict.fromkeys(tool.input_schema["properties"], empty), **given}
                got = await answered(server, tool, filled)
                said(f"{tool.name} with {name}", held=got == answer, text=got)


async def answered(server: Any, tool: Any, arguments: dict[str, Any]) -> tuple[bool | None, str]:
    """Return whether a call is refused, and its text."""
    done = await server.call_tool(tool.name, arguments)
    return done.is_error, "".join(getattr(part, "text", "") for part in done.content)


asyncio.run(check(sys.argv[1]))
