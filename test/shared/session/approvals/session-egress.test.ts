import { withHost } from "#host";
import { InteractiveSession, type PermissionMode } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";

/** Runs `lines` in a session that may not fetch from `denied.example.com`; returns their output and the requested addresses. */
async function runLines(
  permissionMode: PermissionMode,
  lines: readonly string[],
  allow = true,
): Promise<{ reached: string[]; printed: string[] }> {
  const reached: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url } = new Request(input, init);
    reached.push(url);
    const location = /\/to\/(.*)$/.exec(url)?.[1];
    if (location === undefined) return new Response("the page\n");
    return new Response(null, { status: 302, headers: { location } });
  };
  const printed: string[] = [];
  await withHost(async ({ platform, cwd }) => {
    const shell = new VirtualShell({ fs: platform.fs, fetch, git: { fetch } });
    await shell.exec(
      "git init -q; git remote add denied https://denied.example.com/a; " +
        "git remote add redirected https://open.example.com/to/https://denied.example.com/a",
      { cwd },
    );
    const session = new InteractiveSession({
      platform: { ...platform, shell },
      cwd,
      provider: new ScriptedProvider([
        ...lines.map((command, index) => ({
          toolCalls: [{ id: `call-${index}`, name: "Bash", args: { command } }],
        })),
        { text: "done" },
      ]),
      permissionMode,
      permissions: { deny: ["WebFetch(domain:denied.example.com)"] },
    });
    session.on("permission_request", ({ id }) => void session.resolvePermission(id, { allow }));
    await session.submit("go");
    for (const message of session.getMessages()) {
      if (message.role === "tool") printed.push(JSON.stringify(message.content));
    }
    await session.shutdown();
  });
  return { reached, printed };
}

it.each<PermissionMode>(["default", "bypassPermissions"])(
  "a rule that denies a domain to WebFetch denies it to curl and git of the virtual shell, in %s",
  async (mode) => {
    const first = "https://open.example.com/to/https://denied.example.com/a";
    const { reached, printed } = await runLines(mode, [
      "curl -sS https://denied.example.com/a",
      `curl -sSL ${first}`,
      "u=denied.example.com; curl -sS https://$u/a",
      "git fetch denied",
      "git fetch redirected",
      "curl -sS https://open.example.com/a",
    ]);
    expect(reached).toEqual([
      first,
      `${first}/info/refs?service=git-upload-pack`,
      "https://open.example.com/a",
    ]);
    for (const text of printed.slice(0, 5)) {
      expect(text).toMatch(/WebFetch\(domain:denied\.example\.com\)/);
    }
    expect(printed[5]).toContain("the page");
  },
);

it("no request is sent before a person has approved the line", async () => {
  const lines = ["curl -s https://open.example.com/a", "git fetch redirected"];
  expect((await runLines("default", lines, false)).reached).toEqual([]);
});
