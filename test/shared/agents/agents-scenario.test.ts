import { withHost } from "#host";
import { InteractiveSession, type Platform, replaySession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import {
  agentCall,
  agentsOf,
  backgroundCall,
  castOf,
  collecting,
  eventOf,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  results,
  WORKER,
} from "../../support/agent-support.ts";

async function textAt({ fs }: Platform, path: string): Promise<string | undefined> {
  return fs.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}

it("agents work concurrently, in the background and on a copy, and their results outlast the session", () =>
  withHost(async ({ platform, cwd }) => {
    const held = hold();
    await platform.fs.writeFile(`${cwd}/a.txt`, "one\n");
    const write = (filePath: string, content: string) => ({
      toolCalls: [{ name: "Write", args: { filePath, content } }],
    });
    const { session } = played(
      {
        [MAIN]: [
          {
            toolCalls: [
              agentCall("Explore", "look"),
              agentCall("Plan", "plan"),
              backgroundCall("wait", { isolation: "overlay" }),
            ],
          },
          { text: "started" },
          collecting(),
          { text: "done" },
        ],
        "You explore files": [
          { toolCalls: [{ name: "Read", args: { filePath: "a.txt" } }] },
          { text: "it says one" },
        ],
        "You plan work": [{ text: "a plan" }],
        [WORKER]: [write("b.txt", "two\n"), { toolCalls: [HOLD_CALL] }, { text: "changed it" }],
      },
      {
        platform,
        cwd,
        tools: [held.tool],
        permissionHandler: (tool) => tool === "AgentMerge" || tool === "Read",
      },
    );
    await session.submit("go");
    await held.waiting(1);
    expect(results(session).slice(0, 2)).toEqual(["it says one", "a plan"]);
    const text = () => textAt(platform, `${cwd}/b.txt`);
    expect(await text()).toBeUndefined();
    const ended = eventOf(session, "agent_end");
    held.release();
    await ended;
    expect(await text()).toBe("two\n");
    expect(await session.submit("and now?")).toMatchObject({ response: "done" });
    expect(results(session)[3]).toContain("changed it\n\nIts changes were merged: ");
    const agents = await agentsOf(session);
    expect(agents.map(({ agent, state, isolation }) => [agent, state, isolation])).toEqual([
      ["Explore", "complete", undefined],
      ["Plan", "complete", undefined],
      ["general-purpose", "complete", "overlay"],
    ]);
    await session.rewind(session.checkpoints()[0]?.id ?? "", "files");
    expect(await text()).toBeUndefined();
    await session.shutdown();

    const { provider } = castOf({ [MAIN]: new ScriptedProvider([]) });
    const { sessionId } = session;
    const again = new InteractiveSession({ platform, cwd, provider, resumeSessionId: sessionId });
    expect(await agentsOf(again)).toEqual(agents);
    await again.shutdown();
    const { storage } = platform;
    const { records } = await replaySession({ storage, sessionId }, memoryPlatform());
    const stored: string[] = [];
    for await (const { value } of storage.read(`sessions/${sessionId}`))
      stored.push(new TextDecoder().decode(value).trimEnd());
    expect(records.map((bytes) => new TextDecoder().decode(bytes).trimEnd())).toEqual(stored);
  }));
