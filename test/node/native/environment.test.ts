import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withHost } from "#host";
import { nodePlatform, NodeShell } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { put } from "./repositories.ts";

const execute = promisify(execFile);

async function environmentOf(
  env: Record<string, string>,
  allowEnv: readonly string[] = [],
): Promise<Record<string, string>> {
  await using shell = new NodeShell({ env: { PATH: process.env.PATH, ...env }, allowEnv });
  const { stdout } = await shell.exec("env -0", { cwd: "/" });
  const all = stdout.split("\0").map((line) => line.split("=", 2) as [string, string]);
  return Object.fromEntries(all.filter(([name]) => Object.hasOwn(env, name)));
}

/** Nothing about their names or values says that they are secrets, or that they matter. */
const OTHERS = {
  DB_PASS: "hunter2",
  MYSQL_PWD: "hunter2",
  SMTP_PASS: "hunter2",
  SENTRY_DSN: "https://0123456789@o1.ingest.example.com/1",
  SLACK_WEBHOOK_URL: "https://hooks.example.com/services/T0/B0/x",
  DOCKER_AUTH_CONFIG: "{}",
  NPM_AUTH: "YTpi",
  SECRET_KEY_BASE: "abc",
  AZURE_STORAGE_CONNECTION_STRING: "AccountName=a",
  ANTHROPIC_CUSTOM_HEADERS: "x: y",
  OTEL_EXPORTER_OTLP_HEADERS: "x=y",
  SSH_AUTH_SOCK: "/tmp/agent",
  SSH_AGENT_PID: "1",
  GPG_AGENT_INFO: "/tmp/gpg",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1/bus",
  XDG_RUNTIME_DIR: "/run/user/1",
  LD_LIBRARY_PATH: "/lib",
  LD_PRELOAD: "",
  LD_AUDIT: "",
  NODE_OPTIONS: "--no-warnings",
  NODE_PATH: "/lib",
  PYTHONPATH: "/lib",
  PYTHONSTARTUP: "/dev/null",
  PERL5OPT: "-w",
  RUBYOPT: "-w",
  JAVA_TOOL_OPTIONS: "-Dx=y",
  GOFLAGS: "-v",
  MAKEFLAGS: "-j2",
  RIPGREP_CONFIG_PATH: "/dev/null",
  GIT_SSH_COMMAND: "ssh",
  GIT_EXTERNAL_DIFF: "diff",
  GIT_CONFIG_COUNT: "0",
  DOCKER_HOST: "tcp://127.0.0.1:1",
  KUBECONFIG: "/k",
  MY_APP_SETTING: "1",
};

it("passes commands the known useful variables", async () => {
  const useful = {
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    LC_TIME: "C",
    TZ: "UTC",
    TERM: "xterm",
    CI: "1",
    EDITOR: "vi",
    JAVA_HOME: "/java",
    GOPATH: "/go",
    CARGO_HOME: "/cargo",
    NVM_DIR: "/nvm",
    VIRTUAL_ENV: "/venv",
    NODE_VERSION: "24",
    HTTPS_PROXY: "http://proxy.example.com:3128",
    PIP_INDEX_URL: "https://pypi.example.com/simple",
  };
  expect(await environmentOf({ ...useful, ...OTHERS })).toEqual(useful);
});

it("holds no secret under a passed name, by name or value", async () => {
  const byValue = {
    HTTPS_PROXY: "http://ann:hunter2@proxy.example.com:3128",
    GOPROXY: "https://ann:hunter2@go.example.com",
    EDITOR: "sk-ant-abcdefghijkl-x6",
    CFLAGS: "-DTOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345",
  };
  const byName = { LC_API_KEY: "plain", LC_PASSWORD: "plain", LC_AUTH_TOKEN: "plain" };
  expect(await environmentOf({ ...byValue, ...byName })).toEqual({});
});

it("passes more only by name, and nothing that starts code before a command", async () => {
  const allowed = ["DB_PASS", "SSH_AUTH_SOCK", "BASH_ENV", "PROMPT_COMMAND"];
  const env = { ...OTHERS, BASH_ENV: "/dev/null", PROMPT_COMMAND: "true" };
  expect(await environmentOf(env, allowed)).toEqual({
    DB_PASS: OTHERS.DB_PASS,
    SSH_AUTH_SOCK: OTHERS.SSH_AUTH_SOCK,
  });
});

it("is the same for command hooks", () =>
  withHost(async ({ platform: { home }, cwd }) => {
    const env = { ...process.env, ...OTHERS };
    await using platform = nodePlatform({ home, env, allowEnv: ["MY_APP_SETTING"] });
    const out = join(home, "seen");
    const hook = { type: "command" as const, command: `env > ${out}` };
    await using session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([{ text: "ok" }]),
      hooks: { UserPromptSubmit: [{ matcher: "", hooks: [hook] }] },
    });
    await session.submit("go");
    const seen = await readFile(out, "utf8");
    expect(seen).toContain("MY_APP_SETTING=1");
    for (const name of Object.keys(OTHERS).filter((other) => other !== "MY_APP_SETTING"))
      expect(seen).not.toMatch(new RegExp(`^${name}=`, "m"));
  }));

it("can't be read from the command line's process either", () =>
  withHost(async ({ platform: { home }, cwd }) => {
    const seen = join(home, "seen");
    const program = `tr '\\0' '\\n' < /proc/$PPID/environ > ${seen}; echo "$PPID $EXTRA" >> ${seen}`;
    const settings = {
      hooks: {
        UserPromptSubmit: [{ matcher: "", hooks: [{ type: "command", command: program }] }],
      },
    };
    await put(join(home, ".robota/settings.json"), JSON.stringify(settings));
    const keys = { ANTHROPIC_API_KEY: "hidden-1", DB_PASS: "hidden-2", SSH_AUTH_SOCK: "/tmp/a" };
    const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, EXTRA: "extra", ...keys };
    const args = ["-p", "hello", "--provider", "offline", "--allow-env", "EXTRA", "--cwd", cwd];
    const run = [await installedCommand(), ...args];
    const { stdout, stderr } = await execute(process.execPath, run, { env });
    expect([stdout, stderr].join("")).not.toContain("Warning");
    const text = await readFile(seen, "utf8");
    // It was another process than this one, with an environment, and commands get what they are allowed.
    expect(text).toMatch(/^HOME=/m);
    expect(text).toMatch(/^\d+ extra$/m);
    for (const [name, value] of Object.entries(keys)) {
      expect(text).not.toContain(name);
      expect(text).not.toContain(value);
    }
    // The temporary files that passed the variables are deleted.
    expect((await readdir(home)).filter((name) => name.startsWith("robota-"))).toEqual([]);
  }));
