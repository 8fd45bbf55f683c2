import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal, type PseudoTerminal } from "../../support/terminal/pseudo-terminal.ts";
import { serveSessions } from "../../support/terminal/served-sessions.ts";

const CTRL_C = "\u0003";
const FRAME = "/help for commands";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let base: string;
let cwd: string;
let home: string;
let terminal: PseudoTerminal | undefined;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-frame-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  for (const directory of [cwd, home]) await mkdir(directory);
});
afterEach(async () => {
  terminal?.kill();
  await terminal?.ended;
  terminal = undefined;
  await rm(base, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

function converse(args: readonly string[], token = "none"): PseudoTerminal {
  terminal = openTerminal({
    command: [process.execPath, installed, ...args],
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TERM: "xterm-256color",
      ROBOTA_TOKEN: token,
    },
    nameFile: join(base, "tty"),
  });
  return terminal;
}

/** A server in front of another one, or of none, that passes nothing on until it is told to. */
async function slowServer(target = "http://127.0.0.1:1") {
  const released = Promise.withResolvers<void>();
  const front = createServer((incoming, outgoing) => {
    void released.promise.then(() => {
      const { method, headers, url } = incoming;
      const onward = request(`${target}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      outgoing.on("close", () => onward.destroy());
      onward.on("error", () => outgoing.destroy());
      incoming.pipe(onward);
    });
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    release: (): void => released.resolve(),
    async [Symbol.asyncDispose]() {
      front.close();
      front.closeAllConnections();
    },
  };
}

describe.skipIf(process.platform !== "linux")("the prompt of a session that opens", () => {
  it("is there before the session, which gets what is typed until then", async () => {
    await using server = await serveSessions(installed, { cwd, home });
    await using front = await slowServer(server.url);
    const { shows, hides, text, type } = converse(["--remote", front.url], server.token);
    await shows("Opening the session…");
    expect(text()).toContain(FRAME);
    type("help\r");
    type("half a li");
    front.release();
    await shows("- list [glob]: lists files");
    await shows(/─\nhalf a li\n─/);
    await hides("Opening the session…");
    expect(text().split(FRAME)).toHaveLength(2);
  });

  it("goes with Ctrl+C, and leaves nothing behind", async () => {
    await using front = await slowServer();
    const { shows, ended, text, type } = converse(["--remote", front.url]);
    await shows("Opening the session…");
    type(`some words${CTRL_C}`);
    expect(await ended).toBe(130);
    expect(text()).toBe("");
  });

  it("gives way to the reason why there is none", async () => {
    const { ended, raw, text } = converse(["--provider", "offline", "--resume", "0000"]);
    expect(await ended).not.toBe(0);
    expect(raw()).toContain(FRAME);
    expect(text()).toMatch(/^robota: .*0000/);
    expect(text()).not.toContain(FRAME);
  });

  it("gives way to the trust question, and comes again", async () => {
    await mkdir(join(cwd, ".robota"));
    const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };
    await writeFile(join(cwd, ".robota/settings.json"), JSON.stringify(settings));
    const { shows, text, type, raw } = converse(["--provider", "offline"]);
    await shows('Type "yes" to trust it:');
    expect(raw()).toContain(FRAME);
    expect(text()).not.toContain(FRAME);
    type("yes\r");
    await shows("script-1 · ");
    expect(text().split(FRAME)).toHaveLength(2);
  });
});
