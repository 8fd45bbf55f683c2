import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type AskedModel,
  type ModelService,
  serveModel,
} from "../../support/network/model-service.ts";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal, type PseudoTerminal } from "../../support/terminal/pseudo-terminal.ts";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let service: ModelService;
let home: string;
let terminal: PseudoTerminal | undefined;
beforeEach(async () => {
  service = await serveModel();
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-options-")));
});
afterEach(async () => {
  terminal?.kill();
  await terminal?.ended;
  terminal = undefined;
  await service[Symbol.asyncDispose]();
  await rm(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: home, ...service.environment });

/** Runs the installed command to its end. */
async function robota(...args: string[]) {
  const child = spawn(process.execPath, [installed, ...args], {
    cwd: home,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
  await once(child, "close");
  return { ...output, exitCode: child.exitCode };
}

/** Opens a conversation, sends it a prompt, waits for the answer, and leaves. */
async function converse(prompt: string, ...args: string[]): Promise<string> {
  terminal = openTerminal({
    command: [process.execPath, installed, ...args],
    cwd: home,
    env: { ...environment(), TERM: "xterm-256color", ROBOTA_THEME: "plain" },
    nameFile: join(home, "tty"),
    columns: 100,
  });
  const { asked } = service;
  const before = asked.length;
  await terminal.shows("/help for commands");
  terminal.type(`${prompt}\r`);
  await vi.waitUntil(() => asked.length > before, { timeout: 60_000 });
  await terminal.hides("Working");
  const screen = terminal.text();
  terminal.type("/exit\r");
  expect(await terminal.ended).toBe(0);
  return screen;
}

function last(): AskedModel {
  const asked = service.asked.at(-1);
  if (!asked) throw new Error("The model was not asked");
  return asked;
}

const systemOf = ({ system }: AskedModel): string =>
  typeof system === "string"
    ? system
    : (system as { text: string }[]).map(({ text }) => text).join("\n\n");
const namesOf = ({ tools = [] }: AskedModel): string[] => tools.map(({ name }) => name);

const ROLE = "You are an agent that works on a person's files";

describe("the system prompt of the command line", () => {
  it("takes the place of the usual one, or comes behind it, also when a session is resumed", async () => {
    await writeFile(join(home, "AGENTS.md"), "Always whistle.\n");
    await robota("-p", "one", "--trust-workspace", "--system-prompt", "You are a pirate.");
    expect(systemOf(last())).toMatch(/^You are a pirate\./);
    expect(systemOf(last())).not.toContain(ROLE);
    expect(systemOf(last())).toContain("Always whistle.");

    // A session keeps what it was told, until it is told something else.
    await robota("-p", "two", "-c");
    expect(systemOf(last())).toMatch(/^You are a pirate\./);
    await robota("-p", "three", "-c", "--append-system-prompt", "Rhyme.");
    expect(systemOf(last())).toContain(ROLE);
    expect(systemOf(last())).toMatch(/Rhyme\.\n\n[\s\S]*Always whistle\./);
    expect(systemOf(last())).not.toContain("pirate");
    expect(last().messages).toHaveLength(5);

    await robota("-p", "four", "--system-prompt", "A poet.", "--append-system-prompt", "Rhyme.");
    expect(systemOf(last())).toMatch(/^A poet\.\n\nRhyme\./);
  });

  it("is that of a conversation, a new one and a resumed one", async () => {
    await converse("ahoy", "--system-prompt", "You are a pirate.");
    expect(systemOf(last())).toMatch(/^You are a pirate\./);
    await converse("again", "--continue", "--append-system-prompt", "Rhyme.");
    expect(systemOf(last())).toContain(ROLE);
    expect(systemOf(last())).toMatch(/Rhyme\.$/);
    expect(last().messages).toHaveLength(3);
  });
});

describe("--tools", () => {
  it("leaves out all other built-in tools, in a new and in a resumed session", async () => {
    await robota("-p", "one", "--tools", "Read,Grep");
    expect(namesOf(last())).toEqual(["Read", "Grep"]);
    expect(systemOf(last())).toContain("Tools: Read, Grep.");
    await robota("-p", "two", "-c", "--tools", "");
    expect(namesOf(last())).toEqual([]);
    await robota("-p", "three", "-c", "--tools", "Agent Bash");
    expect(namesOf(last()).toSorted()).toEqual(["Agent", "AgentOutput", "Bash"]);
    await robota("-p", "four", "-c", "--tools", "default");
    expect(namesOf(last())).toContain("Write");
    await converse("five", "-c", "--tools", "Glob");
    expect(namesOf(last())).toEqual(["Glob"]);
  });

  it("refuses unknown names with the known ones", async () => {
    const { exitCode, stderr } = await robota("-p", "one", "--tools", "Read,Reed");
    expect(exitCode).toBe(2);
    expect(stderr).toContain('not "Reed"');
    expect(stderr).toContain("Read, Glob, Grep, Write, Edit, Bash");
    expect(service.asked).toEqual([]);
  });
});

describe("--agents", () => {
  const reviewer = { description: "Reviews changes", prompt: "You review.", tools: ["Read"] };

  it("adds agents from JSON or a file, in a new and in a resumed session", async () => {
    const agentsOf = () => last().tools?.find(({ name }) => name === "Agent")?.description ?? "";
    await robota("-p", "one", "--agents", JSON.stringify({ reviewer }));
    expect(agentsOf()).toContain("- reviewer: Reviews changes");
    await robota("-p", "two", "-c");
    expect(agentsOf()).not.toContain("reviewer");
    const file = join(home, "agents.json");
    await writeFile(file, JSON.stringify({ critic: { ...reviewer, description: "Criticises" } }));
    await robota("-p", "three", "-c", "--agents", file);
    expect(agentsOf()).toContain("- critic: Criticises");
    await converse("four", "-c", "--agents", file);
    expect(agentsOf()).toContain("- critic: Criticises");
  });

  it("says what an agent lacks", async () => {
    const lacking = await robota("-p", "one", "--agents", '{"reviewer":{"prompt":"You review."}}');
    expect(lacking.exitCode).toBe(2);
    expect(lacking.stderr).toContain("--agents: The agent reviewer needs a description");
    expect(lacking.stderr).toContain('Write them as {"reviewer": {"description"');
    const missing = await robota("-p", "one", "--agents", "none.json");
    expect(missing).toMatchObject({ exitCode: 2 });
    expect(missing.stderr).toContain("--agents can't read none.json; give a file or a JSON object");
  });
});

describe("--settings", () => {
  it("come before those of files, from JSON or a file, in a new and in a resumed session", async () => {
    await robota("-p", "one", "--settings", '{"language":"Dutch","provider":{"model":"opus"}}');
    expect(systemOf(last())).toContain("Answer in Dutch.");
    expect(last().model).toBe("claude-opus-5");
    const file = join(home, "mine.json");
    await writeFile(file, '{"provider":{"model":"claude-haiku-4-5"}}');
    await robota("-p", "two", "-c", "--settings", file);
    expect(last().model).toBe("claude-haiku-4-5");
    await converse("three", "-c", "--settings", '{"provider":{"model":"claude-sonnet-5"}}');
    expect(last().model).toBe("claude-sonnet-5");
  });

  it("are refused with the setting that can't be used, and warn of unknown ones", async () => {
    const wrong = await robota("-p", "one", "--settings", '{"maxTurns":"many"}');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain("--settings can't be used: maxTurns");
    const broken = await robota("-p", "one", "--settings", "{nothing}");
    expect(broken.exitCode).toBe(2);
    expect(broken.stderr).toContain("--settings is not JSON");
    const unknown = await robota("-p", "one", "--settings", '{"langauge":"Dutch"}');
    expect(unknown.exitCode).toBe(0);
    expect(unknown.stderr).toContain(
      "--settings: langauge is not a setting. Did you mean language?",
    );
  });
});

describe("--json-schema", () => {
  const schema = {
    type: "object",
    properties: { files: { type: "array", items: { type: "string" } } },
    required: ["files"],
  };
  const given = JSON.stringify(schema);

  it("asks for answers in this form, lets the model correct one, and prints the value", async () => {
    service.answers.push('{"files":[1]}', '{ "files": ["a.ts"] }');
    const { stdout, exitCode } = await robota("-p", "Which?", "--json-schema", given);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('{"files":["a.ts"]}\n');
    expect(last().output_config?.format).toMatchObject({ type: "json_schema", schema });
    expect(JSON.stringify(last().messages.at(-1))).toContain("/files/0");

    const file = join(home, "schema.json");
    await writeFile(file, given);
    service.answers.push('{"files":["b.ts"]}');
    const resumed = await robota(
      "-p",
      "And now?",
      "-c",
      "--json-schema",
      file,
      "--output-format",
      "json",
    );
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      state: "complete",
      output: { files: ["b.ts"] },
      response: '{"files":["b.ts"]}',
    });
    expect(last().messages).toHaveLength(5);
  });

  it("fails for an answer that stays wrong, and prints none of it as the answer", async () => {
    service.answers.push("no", "still no", "no", "still no");
    const text = await robota("-p", "Which?", "--json-schema", given);
    expect(text).toMatchObject({ exitCode: 1, stdout: "" });
    expect(text.stderr).toContain("not valid JSON");
    const json = await robota("-p", "Which?", "--json-schema", given, "--output-format", "json");
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      state: "failed",
      response: "still no",
      error: { code: "RESPONSE_FORMAT" },
    });
  });

  it("holds in a conversation, which says of an answer what is wrong with it", async () => {
    service.answers.push('{"files":["a.ts"]}');
    expect(await converse("Which?", "--json-schema", given)).toContain('{"files":["a.ts"]}');
    expect(last().output_config?.format).toMatchObject({ schema });
    service.answers.push("no", "still no");
    const screen = await converse("Which?", "-c", "--json-schema", given);
    expect(screen).toContain("still no");
    expect(screen).toContain("not valid JSON");
  });

  it("refuses what is no schema of an object, and commands without answers", async () => {
    const list = await robota("-p", "one", "--json-schema", '{"type":"array"}');
    expect(list.exitCode).toBe(2);
    expect(list.stderr).toMatch(
      /^robota: --json-schema: The response format: schema: type is not "object"\n.*\{"type": "object"/m,
    );
    const acp = await robota("acp", "--json-schema", given);
    expect(acp.exitCode).toBe(2);
    expect(acp.stderr).toContain("robota acp takes no --json-schema");
  });
});

it("refuses options of this machine for a session on a server", async () => {
  for (const option of ["system-prompt", "append-system-prompt", "tools", "agents", "settings"]) {
    const refused = await robota("-p", "one", "--remote", "http://127.0.0.1:1", `--${option}`, "x");
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain(`--${option} is for sessions of this machine`);
  }
});
