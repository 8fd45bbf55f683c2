import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal, type PseudoTerminal } from "../../support/terminal/pseudo-terminal.ts";
import { type ServedSessions, serveSessions } from "../../support/terminal/served-sessions.ts";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let base: string;
let cwd: string;
let home: string;
let terminal: PseudoTerminal | undefined;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-conversation-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(home);
  await writeFile(join(cwd, "src/greeting.ts"), 'export const greeting = "hello";\n');
});
afterEach(async () => {
  terminal?.kill();
  await terminal?.ended;
  terminal = undefined;
  // The program notices the end of its terminal a moment later, and writes until then.
  await rm(base, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

interface Start {
  args?: string[];
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
}

/** Opens the conversation, and waits for its prompt. */
async function converse({ args = [], columns, rows, env = {} }: Start = {}) {
  terminal = openTerminal({
    command: [process.execPath, installed, "--provider", "offline", ...args],
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color", ...env },
    nameFile: join(base, "tty"),
    columns,
    rows,
  });
  await terminal.shows("script-1 · ");
  return terminal;
}

/** A server with files and sessions of its own. */
async function serverElsewhere(): Promise<ServedSessions & { files: string }> {
  const files = join(base, "elsewhere");
  await mkdir(files);
  return { ...(await serveSessions(installed, { cwd: files, home: files })), files };
}

/** A server in front of another one, with no room for the logs that are sent to it. */
async function fullServer(target: string): Promise<AsyncDisposable & { url: string }> {
  const front = createServer((incoming, outgoing) => {
    if (incoming.method === "PUT") {
      outgoing.writeHead(507, { "content-type": "application/problem+json" });
      incoming
        .resume()
        .on("end", () => outgoing.end(JSON.stringify({ code: "FULL", title: "No room" })));
      return;
    }
    const { method, headers, url } = incoming;
    const onward = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => onward.destroy());
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      front.close();
      front.closeAllConnections();
    },
  };
}

const ESC = "\u001B";
const [CTRL_C, CTRL_J, CTRL_O, CTRL_S, UP] = ["\u0003", "\n", "\u000F", "\u0013", `${ESC}[A`];

describe.skipIf(process.platform !== "linux")("a conversation at the terminal", () => {
  it("shows an answer as Markdown, and its session can be resumed by the line that it ends with", async () => {
    const first = await converse();
    first.type("help\r");
    await first.shows("- list [glob]: lists files");
    await first.hides("Working");
    first.type(`/rename Trying it\r`);
    await first.shows('Renamed to "Trying it".');
    await first.shows(/tokens \(\d+ %\) · Trying it/);
    first.type("/exit\r");
    expect(await first.ended).toBe(0);
    const [, id = ""] = /Resume this session with: robota --resume (\S+)/.exec(first.text()) ?? [];
    expect(id).not.toBe("");

    const second = await converse({ args: ["--resume", id] });
    await second.shows("› help");
    await second.shows("- list [glob]: lists files");
    second.type(UP);
    await second.shows(/─\nhelp\n─/);
  });

  it("asks for approval with the whole change, and each choice does what it says", async () => {
    const { type, shows, text } = await converse();
    type("replace hello with goodbye in src/greeting.ts\r");
    await shows("Edit wants to run");
    await shows('1 - export const greeting = "hello";');
    await shows('1 + export const greeting = "goodbye";');
    // A person who only presses Enter has allowed nothing.
    await shows("→ 4  Deny");
    type("\r");
    await shows("⊘ Edit");
    expect(await readFile(join(cwd, "src/greeting.ts"), "utf8")).toContain("hello");

    type("run touch one\r");
    await shows("command: touch one");
    type("5");
    await shows("Deny, and tell the model");
    type("Use two instead\r");
    await shows("⊘ Denied: Use two instead");

    type("run touch one\r");
    await shows(/● Bash wants to run\n {2}command: touch one/);
    type("6");
    await shows("Run this instead");
    type(`${"\u007F".repeat(3)}three\r`);
    await shows("✓ Bash touch three · exit 0");
    expect(await readdir(cwd)).toContain("three");
    expect(await readdir(cwd)).not.toContain("one");

    type("run touch four\r");
    await shows("Allow Bash(touch four) for this session");
    type("3");
    await shows("Allow calls that match");
    type(`${"\u007F".repeat(5)}*)\r`);
    await shows("For this session");
    type("2");
    await shows("✓ Bash touch four · exit 0");
    type("run touch five\r");
    await shows("✓ Bash touch five · exit 0");
    expect(text()).not.toContain("command: touch five");
  });

  it("queues, takes back and steers while a turn runs, and stops with Esc", async () => {
    const { type, shows, hides } = await converse();
    type("slow 600000\r");
    await shows("Working");
    type("help\r");
    await shows("1 ↳ help");
    type("list\r");
    await shows("2 ↳ list");
    type(UP);
    await hides("2 ↳ list");
    await shows(/─\nlist\n─/);
    type(`${CTRL_S}`);
    await hides("─\nlist\n─");
    type(ESC);
    await shows("■ Stopped");
    await shows("Paused: Enter sends the next prompt");
    type("\r");
    await shows("- list [glob]: lists files");
    await hides("1 ↳ help");
  });

  it("rewinds conversation and files with Esc Esc", async () => {
    const { type, shows, hides } = await converse({ args: ["--permission-mode", "acceptEdits"] });
    type("write notes.md: first\r");
    await shows("new file");
    await hides("Working");
    expect(await readdir(cwd)).toContain("notes.md");
    type(ESC);
    await shows("Esc again to rewind");
    type(ESC);
    await shows("Rewind to before");
    type("\r");
    await shows("1  The conversation and the files");
    type("\r");
    await shows("── Rewound: both ──");
    // The prompt is back to be changed.
    await shows(/─\nwrite notes.md: first\n─/);
    expect(await readdir(cwd)).not.toContain("notes.md");
  });

  it("completes commands and files", async () => {
    const { type, shows } = await converse();
    type("/compa");
    await shows("/compact [focus]");
    type(`${CTRL_C}/mode `);
    await shows("Reads and plans; changes nothing");
    type(CTRL_C);
    type("read @greet");
    await shows("→ @src/greeting.ts");
    type("\t");
    await shows("read @src/greeting.ts");
  });

  it("takes prompts of several lines, pasted ones whole, in any script", async () => {
    const { type, shows, text, resize } = await converse();
    type(`first${CTRL_J}second`);
    await shows(/─\nfirst\nsecond\n─/);
    type(`${CTRL_C}${ESC}[200~help\nnot a\tcommand\r\n${ESC}[201~`);
    // A line break that is pasted sends nothing.
    await shows(/─\nhelp\nnot a    command\n/);
    expect(text()).not.toContain("› help");
    type(`${CTRL_C}日本語と🎉!`);
    await shows("日本語と🎉!");
    type("\u007F".repeat(2));
    await shows(/─\n日本語と\n─/);
    type(`${CTRL_C}${"word ".repeat(15)}end`);
    await shows("word end");
    await resize(44, 20);
    await shows(/─{44}\n(?:word )+word\n(?:word )+end\n─{44}$/m);
  });

  it("leaves with Ctrl+C twice, and shows outputs in full on demand", async () => {
    const { type, shows, ended } = await converse({ args: ["--allow", "Bash(seq *)"] });
    type("run seq 1 60\r");
    await shows("more lines (Ctrl+O shows them)");
    type(CTRL_O);
    await shows(/ {4}59\n {4}60\n/);
    type(CTRL_C);
    await shows("Ctrl+C again to leave");
    type(CTRL_C);
    expect(await ended).toBe(0);
  });

  it("begins with the prompt of the command line, and has no colors with NO_COLOR", async () => {
    const { shows, hides, raw } = await converse({
      args: ["list src/*"],
      env: { NO_COLOR: "1" },
    });
    await shows("src/greeting.ts");
    await hides("Working");
    // No sequence that sets a foreground or background color.
    const styles = raw()
      .split(`${ESC}[`)
      .flatMap((part) => /^[\d;]*(?=m)/.exec(part) ?? []);
    expect(styles.filter((style) => /(?:^|;)(?:3[0-8]|4[0-8]|9\d|10[0-7])/.test(style))).toEqual(
      [],
    );
    // But bold text stays bold.
    expect(raw()).toContain("\u001B[1m");
  });

  it("moves its session to a server while a turn runs, and back with what happened there", async () => {
    await using server = await serverElsewhere();
    const { url, token, files: elsewhere } = server;
    const { type, shows, hides, ended, text, raw } = await converse({
      env: { ROBOTA_TOKEN: token },
    });
    const run = async (prompt: string, outcome: string): Promise<void> => {
      type(`${prompt}\r`);
      await shows(outcome);
      await hides("Working");
    };
    type("/mov");
    await shows("/move <address>");
    type(`${CTRL_C}/move nowhere\r`);
    await shows("That is not the address of a server");
    await run("help", "- list [glob]: lists files");
    type("slow 600000\r");
    await shows("Working");
    type("run touch there\r");
    await shows("1 ↳ run touch there");
    type(`/move ${url}\r`);
    await shows(`· ${url}`);
    // The turn goes on there, and the prompt behind it.
    await shows("Working");
    await shows("1 ↳ run touch there");
    await shows(`── Moved to ${url} ──`);
    type(ESC);
    await shows("Paused: Enter sends the next prompt");
    type("\r");
    await shows("command: touch there");
    type("1");
    await shows("✓ Bash touch there · exit 0");
    await hides("Working");
    // There it has files of its own, and they come along.
    expect(await readdir(elsewhere)).not.toContain("there");
    expect(await readdir(cwd)).not.toContain("there");

    type("/help\r");
    await shows("/move here  Continue this session on this machine");
    type("/move elsewhere\r");
    await shows("From a server, a session moves to this machine first");
    type("/move here\r");
    await shows(`· ${cwd}`);
    await shows("✓ Bash touch there · exit 0");
    expect(await readdir(cwd)).toContain("there");
    await run("list src/*", "src/greeting.ts");
    type("/exit\r");
    expect(await ended).toBe(0);
    expect(text()).toMatch(/Resume this session with: robota --resume \S+/);
    expect(raw()).not.toContain(token);
  });

  it("moves a session with the request that waits in it, there and back, and loses no call", async () => {
    await using server = await serverElsewhere();
    const { url, token, files: elsewhere } = server;
    const { type, shows, visible } = await converse({ env: { ROBOTA_TOKEN: token } });
    const asks = () => shows(/command: touch moved\n[^─]*\/ for a command/);
    type("run touch moved\r");
    await asks();
    type("/");
    await shows("A command, while the request waits");
    type("move nowhere\r");
    await shows("That is not the address of a server");
    await asks();
    type("/");
    await shows("A command, while the request waits");
    type(`move ${url}\r`);
    await shows(`── Moved to ${url} ──`);
    await asks();
    // A server takes no changed calls.
    expect(visible()).not.toContain("Edit the command");
    type("/");
    await shows("A command, while the request waits");
    type("move here\r");
    await shows(`· ${cwd}`);
    await shows("Edit the command");
    await asks();
    type("1");
    await shows("✓ Bash touch moved · exit 0");
    expect(await readdir(cwd)).toContain("moved");
    expect(await readdir(elsewhere)).not.toContain("moved");
  });

  it("takes nothing of a text that is being typed for an answer or a command", async () => {
    await writeFile(join(cwd, "wait.sh"), "until [ -e gate ]; do sleep 0.1; done\n");
    const { type, shows, text } = await converse({ args: ["--allow", "Bash(sh wait.sh)"] });
    type(`run sh wait.sh${CTRL_J}run touch typed\r`);
    await shows("Working");
    type("see src");
    await shows(/─\nsee src\n─/);
    await writeFile(join(cwd, "gate"), "");
    await shows("↑↓ or a digit first, then Enter");
    type("/a 1 and more\r");
    await shows("→ 4  Deny");
    expect(text()).toContain("command: touch typed");
    type(`${UP}${UP}${UP}\r`);
    await shows("✓ Bash touch typed · exit 0");
    await shows(/─\nsee src\n─/);
  });

  it("keeps a session here that a server had no room for", async () => {
    await using server = await serverElsewhere();
    await using full = await fullServer(server.url);
    const { token } = server;
    const { type, shows, hides, ended } = await converse({ env: { ROBOTA_TOKEN: token } });
    type("help\r");
    await shows("- list [glob]: lists files");
    await hides("Working");
    type("/move here\r");
    await shows("This session goes on here already");
    type(`/move ${full.url}\r`);
    await shows(
      "The move was cut: the same command completes it, /move here keeps the session here.",
    );
    type("/move here\r");
    await shows("The session goes on here.");
    await hides("The move was cut");
    type("list src/*\r");
    await shows("src/greeting.ts");
    await hides("Working");
    const listed = await fetch(`${full.url}/v1/sessions`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await listed.json()).toMatchObject({ sessions: [] });
    type("/exit\r");
    expect(await ended).toBe(0);
  });

  it("stays with its session where a move is refused, and says why", async () => {
    const { type, shows } = await converse();
    type("help\r");
    await shows("- list [glob]: lists files");
    type("/move\r");
    await shows("/move needs the address of a server");
    type("/move http://127.0.0.1:1\r");
    await shows("There is no token for the server");
    await shows("ROBOTA_TOKEN");
    await shows(/The\s+session\s+goes\s+on\s+here\.\s+─/);
    type("/cost\r");
    await shows("Session");
  });

  it("converses in a session on a server, which `robota serve` is one of", async () => {
    await using server = await serveSessions(installed, { cwd, home });
    const { url, token } = server;
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(401);
    terminal = openTerminal({
      command: [process.execPath, installed, "--remote", url],
      cwd: base,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: home,
        TERM: "xterm-256color",
        ROBOTA_TOKEN: token,
      },
      nameFile: join(base, "tty"),
    });
    const { type, shows, ended, text } = terminal;
    await shows("script-1 · ");
    type("run touch remote\r");
    await shows("command: touch remote");
    // A server takes no changed calls.
    expect(text()).not.toContain("Edit the command");
    type("1");
    await shows("✓ Bash touch remote · exit 0");
    expect(await readdir(cwd)).toContain("remote");
    type("/exit\r");
    expect(await ended).toBe(0);
    expect(text()).toContain(`robota --remote ${url} --resume `);
    expect(await server.stop()).toBe(143);
  });
});
