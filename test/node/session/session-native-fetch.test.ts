import { withHost } from "#host";
import { bashTool, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it.each([
  ["fetches", "curl --version http://127.0.0.1:9/", false],
  ["does not fetch", "printf done", true],
])("a native command line that %s counts by its text", async (_what, command, runs) => {
  await withHost(async ({ platform, cwd }) => {
    const call = (id: string, line: string) => ({
      toolCalls: [{ id, name: "Bash", args: { command: line } }],
    });
    const session = new Session({
      platform,
      cwd,
      tools: [bashTool],
      provider: new ScriptedProvider([
        call("1", command),
        call("2", "curl --help none"),
        { text: "done" },
      ]),
      permissions: { allow: ["Bash(curl *)", "Bash(printf *)"] },
      guardUntrustedReads: true,
    });
    await session.run("go");
    await session.shutdown();
    const results = session.getHistory().filter((message) => message.role === "tool");
    expect(results.map(({ errorCode }) => errorCode !== "permission_denied")).toEqual([true, runs]);
  });
});
