"""Coding agents with their hooks: the real programs, each with a model on loopback."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import claude_cases
import codex_cases
import copilot_cases
import gemini_cases
import opencode_cases
import qwen_cases
import vibe_cases
from claude_cases import Case
from clients import anthropic_model, gemini_model, openai_model, responses_model
from clients.client_bench import Conversation, ended, program
from clients.scripted_model import ScriptedModel
from signoff.adapters.hooks import dialect
from signoff.adapters.hooks.installation import HookPlace, PluginPlace, with_hook
from system_bench import environment

__all__ = [
    "OLD",
    "Claude",
    "Codex",
    "CodexWithoutPrograms",
    "CodingAgent",
    "Copilot",
    "Gemini",
    "OpenCode",
    "OpenCodeWithPatches",
    "Qwen",
    "Vibe",
]

OLD = b"one\ntwo\nthree\n"
"""A file to begin with."""

Call = Mapping[str, Any]


class CodingAgent(Conversation):
    """One conversation with an agent.

    Attributes:
        name: Name of its dialect.
        model: The model that it talks to.
        cases: What its tools did to files.
        own_settings: Its settings besides the hook.
        names: Its tools that read, edit, write and run commands.
    """

    name: ClassVar[str]
    model: ClassVar[type[ScriptedModel[Any]]]
    cases: ClassVar[Sequence[Case]]
    own_settings: ClassVar[Mapping[str, Any]] = {}
    names: ClassVar[tuple[str, str, str, str]]

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._dialect = dialect(self.name)
        self._settings = self._dialect.place.file(environment(self.home))
        self._settings.parent.mkdir(parents=True)
        self._own_text = json.dumps(self.own_settings) if self.own_settings else ""
        self.unhook()

    # -- What the model says.

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        raise NotImplementedError

    def says(self, text: str) -> Any:
        """A last turn."""
        raise NotImplementedError

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        return self.calls(self.names[0], file_path=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls(self.names[1], file_path=path, old_string=old, new_string=new)

    def writes(self, path: str, content: str) -> Call:
        """A call that writes a file."""
        return self.calls(self.names[2], file_path=path, content=content)

    def runs(self, command: str, words: str = "do it") -> Call:
        """A call that runs a command."""
        return self.calls(self.names[3], command=command, description=words)

    # -- The program.

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        raise NotImplementedError

    def unhook(self) -> None:
        """Leave it without a hook."""
        self._settings.unlink(missing_ok=True)
        if self._own_text:
            self._settings.write_text(self._own_text)

    def hook(self, signoff: str = "signoff", seconds: int | None = None) -> None:
        """Put a hook into its settings.

        Args:
            signoff: The program, and all that stands before the end of the line.
            seconds: The timeout; that of the guide by default.
        """
        place = self._dialect.place
        assert isinstance(place, HookPlace)
        line = f"{signoff} hook {self.name}" if signoff == "signoff" else signoff
        if seconds is not None and signoff == "signoff":
            line += f" --timeout {seconds}"
        [key] = (key for key in place.more if key.startswith("timeout"))
        if seconds is not None:
            timeout = round(seconds * place.more[key] / self._dialect.timeout)
            place = place._replace(more={**place.more, key: timeout})
        text = with_hook(self._own_text, place, "signoff")
        self._settings.write_text(text.replace(f"signoff hook {self.name}", json.dumps(line)[1:-1]))

    def begin(self, model: ScriptedModel[Any]) -> subprocess.Popen[str]:
        """Start the program with a prompt."""
        return self.start(*self.command(model))

    def run(self, *turns: Sequence[Call]) -> ScriptedModel[Any]:
        """Run the program to its end; returns the model, which knows what it was told."""
        with self.model([*turns, self.says("done")]) as model, self.begin(model) as process:
            ended(process, model)
        return model


class Claude(CodingAgent):
    """A conversation with Claude Code."""

    name = "claude-code"
    model = anthropic_model.AnthropicModel
    cases = claude_cases.CASES
    names = ("Read", "Edit", "Write", "Bash")

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return anthropic_model.uses(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return [anthropic_model.says(text)]

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        variables = {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        return [program("@anthropic-ai/claude-code-*/claude"), "-p", "go on"], variables


class Gemini(CodingAgent):
    """A conversation with Gemini CLI."""

    name = "gemini"
    model = gemini_model.GeminiModel
    cases = gemini_cases.CASES
    own_settings: ClassVar[Mapping[str, Any]] = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
    }
    names = ("read_file", "replace", "write_file", "run_shell_command")

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return gemini_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return [gemini_model.says(text)]

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("replace", file_path=path, old_string=old, new_string=new, instruction="x")

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        words = ["node", program("@google/gemini-cli/bundle/gemini.js"), "-p", "go on"]
        variables = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url}
        return [*words, "--skip-trust", "--approval-mode", "yolo"], variables


class Qwen(CodingAgent):
    """A conversation with Qwen Code."""

    name = "qwen"
    model = openai_model.OpenAIModel
    cases = qwen_cases.CASES
    own_settings: ClassVar[Mapping[str, Any]] = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
    }
    names = ("read_file", "edit", "write_file", "run_shell_command")

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return openai_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def runs(self, command: str, words: str = "do it") -> Call:
        """A call that runs a command."""
        return self.calls("run_shell_command", command=command, description=words, is_background=False)

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        variables = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_MODEL": "m"}
        return [program(".bin/qwen"), "-p", "go on", "--yolo"], variables


class Copilot(CodingAgent):
    """A conversation with GitHub Copilot CLI."""

    name = "copilot"
    model = openai_model.OpenAIModel
    cases = copilot_cases.CASES
    names = ("view", "edit", "create", "bash")

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return openai_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        return self.calls("view", path=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("edit", path=path, old_str=old, new_str=new)

    def writes(self, path: str, content: str) -> Call:
        """A call that writes a new file."""
        return self.calls("create", path=path, file_text=content)

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        words = [
            program("@github/copilot-linux-*/copilot"),
            "-p",
            "go on",
            "--allow-all-tools",
            "--allow-all-paths",
        ]
        variables = {
            "COPILOT_OFFLINE": "true",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        }
        return words, variables


class Vibe(CodingAgent):
    """A conversation with Mistral Vibe."""

    name = "vibe"
    model = openai_model.OpenAIModel
    cases = vibe_cases.CASES
    names = ("read_file", "search_replace", "write_file", "bash")

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool, which the model knows by other names than a hook."""
        if tool in {"read_file", "write_file"}:
            arguments = {"path": arguments.pop("file_path"), **arguments}
        return openai_model.calls("edit" if tool == "search_replace" else tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def runs(self, command: str, words: str = "do it") -> Call:
        """A call that runs a command; nothing is said of it."""
        return self.calls("bash", command=command)

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        settings = (
            'active_model = "m"\nenable_telemetry = false\nenable_update_checks = false\n'
            f'[[providers]]\nname = "scripted"\napi_base = "{model.url}/v1"\napi_key_env_var = "SCRIPTED_KEY"\n'
            '[[models]]\nname = "m"\nprovider = "scripted"\nalias = "m"\n'
        )
        self._settings.with_name("config.toml").write_text(settings)
        return [program("vibe/bin/vibe"), "-p", "go on", "--auto-approve"], {"SCRIPTED_KEY": "none"}


class Codex(CodingAgent):
    """A conversation with Codex, whose model writes its calls as programs in JavaScript."""

    name = "codex"
    model = responses_model.ResponsesModel
    cases = codex_cases.CASES
    names = ("view_image", "apply_patch", "apply_patch", "Bash")
    model_name: ClassVar[str] = "gpt-6.2-sol"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.trusts_hooks = True
        """True if it runs hooks that nobody has trusted."""
        self._servers: dict[str, str] = {}

    def trust_hooks(self) -> None:
        """Trust the hooks that it has now, as a person does in its list of hooks, and run no others."""
        self.trusts_hooks = False
        asked: Sequence[Mapping[str, Any]] = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(self.folder)]}},
        )
        with subprocess.Popen(
            [self._program(), "app-server"],
            env=environment(self.home),
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write("".join(f"{json.dumps(each)}\n" for each in asked))
            server.stdin.flush()
            answer = next(found for line in server.stdout if (found := json.loads(line)).get("id") == 2)
            server.kill()
        entries = (hook for folder in answer["result"]["data"] for hook in folder["hooks"])
        states = [f'[hooks.state."{each["key"]}"]\ntrusted_hash = "{each["currentHash"]}"\n' for each in entries]
        self._settings.with_name("config.toml").write_text("".join(states))

    def doctor(self) -> str:
        """Return what ``signoff doctor`` says, to which Codex is there."""
        folder = Path(self._program()).parent
        variables = environment(self.home, PATH=f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}")
        command = [sys.executable, "-m", "signoff.cli", "doctor"]
        return subprocess.run(command, env=variables, check=False, capture_output=True, text=True).stdout

    def add_server(self, name: str, command: Sequence[str]) -> None:
        """Have it use a server of MCP, which it waits for."""
        program, *words = map(json.dumps, command)
        entry = f"{{command = {program}, args = [{', '.join(words)}], required = true}}"
        self._servers[f"mcp_servers.{name}"] = entry

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        taken = arguments["patch"] if tool == "apply_patch" else arguments
        return responses_model.writes_to("exec", f"text(await tools.{tool}({json.dumps(taken)}))")

    def says(self, text: str) -> Any:
        """A last turn."""
        return [responses_model.says(text)]

    def reads(self, path: str) -> Call:
        """A call that reads a file, which has to be an image."""
        return self.calls("view_image", path=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("apply_patch", patch=codex_cases.update(path, old, new))

    def writes(self, path: str, content: str) -> Call:
        """A call that writes a file."""
        return self.calls("apply_patch", patch=codex_cases.addition(path, content))

    def runs(self, command: str, words: str = "do it") -> Call:
        """A call that runs a command; nothing is said of it."""
        return self.calls("exec_command", cmd=command)

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        provider = f'{{name = "scripted", base_url = "{model.url}/v1", wire_api = "responses"}}'
        settings = {
            "model": f'"{self.model_name}"',
            "model_provider": '"scripted"',
            "model_providers.scripted": provider,
            **self._servers,
        }
        words = [self._program(), "exec", "go on", "--skip-git-repo-check"]
        words += ["--dangerously-bypass-approvals-and-sandbox"]
        words += ["--dangerously-bypass-hook-trust"] if self.trusts_hooks else []
        return [*words, *(word for key, value in settings.items() for word in ("-c", f"{key}={value}"))], {}

    def _program(self) -> str:
        return program("@openai/codex-*/vendor/*/bin/codex")


class CodexWithoutPrograms(Codex):
    """A conversation with Codex, whose model writes its calls one by one."""

    model_name = "gpt-5.5"

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        if tool == "apply_patch":
            return responses_model.writes_to(tool, str(arguments["patch"]))
        return responses_model.calls(tool, **arguments)


class OpenCode(CodingAgent):
    """A conversation with OpenCode.

    Attributes:
        model_name: The model that it takes the scripted one for, on which its tools depend.
        more_settings: Its settings besides those that every conversation has.
        more_variables: Variables besides.
    """

    name = "opencode"
    model = openai_model.OpenAIModel
    cases = opencode_cases.CASES
    names = ("read", "edit", "write", "bash")
    model_name: ClassVar[str] = "m"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.more_settings: dict[str, Any] = {}
        self.more_variables: dict[str, str] = {}

    def unhook(self) -> None:
        """Leave it without a plugin."""
        self._settings.unlink(missing_ok=True)

    def hook(self, signoff: str = "signoff", seconds: int | None = None) -> None:
        """Put a plugin into its settings, as `CodingAgent.hook`; the plugin itself waits as long as the hook."""
        place = self._dialect.place
        assert isinstance(place, PluginPlace)
        line = place.line(signoff) if signoff == "signoff" else signoff
        text = place.plugin("signoff")
        if seconds is not None:
            line += f" --timeout {seconds}" if signoff == "signoff" else ""
            text = re.sub("(?m)^const SECONDS = .*;$", f"const SECONDS = {seconds};", text)
        self._settings.write_text(re.sub("(?m)^const COMMAND = .*;$", lambda _: _command(line), text))

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return openai_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        return self.calls("read", filePath=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("edit", filePath=path, oldString=old, newString=new)

    def writes(self, path: str, content: str) -> Call:
        """A call that writes a file."""
        return self.calls("write", filePath=path, content=content)

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        return [*self.program, "run", "go on"], self.variables_for(model)

    @property
    def program(self) -> Sequence[str]:
        """The program."""
        return [program("opencode-ai/bin/opencode*")]

    def variables_for(self, model: ScriptedModel[Any]) -> Mapping[str, str]:
        """Its variables, with a model."""
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "none"},
            "models": {self.model_name: {"tool_call": True}},
        }
        settings = {
            "model": f"scripted/{self.model_name}",
            "small_model": f"scripted/{self.model_name}",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider},
            "permission": {"*": "allow"},
            "share": "disabled",
            **self.more_settings,
        }
        off = ("AUTOUPDATE", "LSP_DOWNLOAD", "MODELS_FETCH")
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
            **{f"OPENCODE_DISABLE_{each}": "1" for each in off},
            "npm_config_offline": "true",  # it fetches what plugins in TypeScript need
            "PWD": str(self.folder),  # the shell's word for the project counts for it
            **self.more_variables,
        }


class OpenCodeWithPatches(OpenCode):
    """A conversation with OpenCode and a model for which it has one tool that applies patches."""

    cases = opencode_cases.PATCHES
    names = ("read", "apply_patch", "apply_patch", "bash")
    model_name = "gpt-5.5"

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("apply_patch", patchText=codex_cases.update(path, old, new))

    def writes(self, path: str, content: str) -> Call:
        """A call that writes a file."""
        return self.calls("apply_patch", patchText=codex_cases.addition(path, content))


def _command(line: str) -> str:
    return f"const COMMAND = {json.dumps(shlex.split(line))};"
