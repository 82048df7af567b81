"""Names in a log → names that may stand in a content-free set.

A name passes when every part of it is publicly known; any other one becomes a kind and a number.
"""

from __future__ import annotations

import re

from ctxlab.log import EDIT_EVIDENCE, EDIT_KINDS, SPAN_ORIGINS, TOOL_KINDS, TOUCH_KINDS

__all__ = ["EVENT_KINDS", "KINDS", "SafeNames", "Words", "safe_version"]

EVENT_KINDS = (
    *("call", "result", "other", "prompt", "compaction", "clear", "microcompaction"),
    *("rewind", "resume", "interrupt"),
)
"""Kinds of records; "other" stands for events of which only the number is told."""

KINDS = frozenset(
    (*TOOL_KINDS, *SPAN_ORIGINS, *TOUCH_KINDS, *EDIT_KINDS, *EDIT_EVIDENCE, *EVENT_KINDS)
)
"""Kinds that records name."""

_TOOLS = frozenset({
    "Agent", "AgentOutputTool", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode",
    "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell",
    "LS", "LSP", "ListMcpResourcesTool", "MultiEdit", "NotebookEdit", "NotebookRead",
    "PowerShell", "Read", "ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "Task",
    "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead",
    "TodoWrite", "ToolSearch", "View", "WebFetch", "WebSearch", "Write", "apply_patch",
    "close_agent", "container.exec", "create_goal", "exec_command", "get_goal", "grep_files",
    "image_generation", "list_agents", "list_dir", "list_mcp_resource_templates",
    "list_mcp_resources", "local_shell", "read_file", "read_mcp_resource", "request_user_input",
    "resume_agent", "send_input", "shell", "shell_command", "spawn_agent", "tool_search",
    "unified_exec", "update_goal", "update_plan", "view_image", "wait", "wait_agent",
    "web_search", "write_stdin",
})  # fmt: skip
_AGENTS = "claude_code|codex|mcp"
_VERSION = re.compile(
    rf"(({_AGENTS})( |$))?(\d{{1,4}}(\.\d{{1,4}}){{0,3}}(-(alpha|beta|rc)(\.\d{{1,4}})?)?)?"
)
_MODEL_PART = re.compile(
    r"claude|opus|sonnet|haiku|instant|gpt|codex|mini|nano|pro|max|turbo|chat|spark|latest|preview"
    r"|fast|o[1-9]|\d[a-z]?|gemini|flash|lite|exp|deepseek|reasoner|qwen|coder|glm|kimi|k\d|grok"
    r"|mistral|devstral|llama|v?\d{1,2}(\.\d{1,2})?|\d{2,4}|20\d{6}"
)


class Words:
    """The words of one file, numbered by first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """Give the number of a word; a new word gets the next."""
        return self._numbers.setdefault(word, len(self._numbers))

    def all(self) -> list[str]:
        """All words by number."""
        return list(self._numbers)


class SafeNames:
    """Tools and models of a whole set: known names pass, others become "mcp_1", "model_1"."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def tool(self, name: str, kind: str) -> str:
        """Give a tool's name, or its kind and a number."""
        return name if name in _TOOLS else self._numbered(name, kind)

    def model(self, name: str) -> str:
        """Give a model's name, or a number."""
        return name if _is_model(name) else self._numbered(name, "model")

    def _numbered(self, name: str, kind: str) -> str:
        if (name, kind) not in self._given:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._given[name, kind] = f"{kind}_{self._counts[kind]}"
        return self._given[name, kind]


def safe_version(agent: str, version: str | None) -> str:
    """Name agent and version, each only if it is a usual one.

    Examples
    --------
    >>> safe_version("claude_code", "2.1.7"), safe_version("claude_code", "2.1.7-acme")
    ('claude_code 2.1.7', 'claude_code')
    """
    for told in (f"{agent} {version}", f"{version}", agent):
        if _VERSION.fullmatch(told):
            return told
    return ""


def _is_model(name: str) -> bool:
    return all(_MODEL_PART.fullmatch(part) for part in re.split(r"[-_@]", name))
