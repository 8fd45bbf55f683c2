import type { InteractiveSession, SessionEvent } from "@robota/runtime";
import { expect, it } from "vitest";
import { echo } from "../../support/support.ts";
import {
  echoes,
  newSession,
  say,
  type Script,
  withEditor,
  wordsOf,
} from "../../support/protocols/acp-editor.ts";

it("replays a stored session when it is loaded, and nothing when it is resumed", async () => {
  await withEditor({ script: [...echoes(1), { text: "More." }], tools: [echo] }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const sessionId = await newSession(editor);
    await say(agent, sessionId, "go");
    const live = updates.filter(({ sessionUpdate }) => /^(tool_|agent_)/.test(sessionUpdate));
    await agent.request("session/close", { sessionId });

    updates.length = 0;
    const { modes } = await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    expect(modes).toMatchObject({ currentModeId: "default" });
    expect(updates.filter(({ sessionUpdate }) => /^(tool_|agent_)/.test(sessionUpdate))).toEqual(
      live,
    );
    expect(wordsOf(updates, "user_message_chunk")).toBe("go");
    await agent.request("session/close", { sessionId });

    updates.length = 0;
    await agent.request("session/resume", { sessionId, cwd });
    await say(agent, sessionId, "more");
    expect(wordsOf(updates, "agent_message_chunk")).toBe("More.");
    expect(wordsOf(updates, "user_message_chunk")).toBe("");
  });
});

it("opens a stored session once for loads that come together, and answers both", async () => {
  let opened = 0;
  const script: Script = [...echoes(1), { text: "More." }];
  await withEditor({ script, tools: [echo], watch: () => (opened += 1) }, async (editor) => {
    const { agent, cwd, updates, errors } = editor;
    const sessionId = await newSession(editor);
    await say(agent, sessionId, "go");
    await agent.request("session/close", { sessionId });
    opened = 0;

    const load = () => agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    await Promise.all([load(), load()]);
    expect(opened).toBe(1);
    updates.length = 0;
    await say(agent, sessionId, "more");
    expect(wordsOf(updates, "agent_message_chunk")).toBe("More.");
    expect(errors).toEqual([]);
  });
});

it("shuts a session down that can't be had", async () => {
  let isShutDown = false;
  const watch = (session: InteractiveSession): void => {
    const shutdown = session.shutdown.bind(session);
    session.shutdown = (options) => {
      isShutDown = true;
      return shutdown(options);
    };
  };
  await withEditor({ script: [], watch }, async ({ agent, cwd }) => {
    const load = agent.request("session/load", { sessionId: "none", cwd, mcpServers: [] });
    await expect(load).rejects.toThrow(/none/);
    expect(isShutDown).toBe(true);
  });
});

it("puts a question that waits to the editor that loads the session, and still answers the prompt", async () => {
  await withEditor(
    {
      script: echoes(1),
      tools: [echo],
      // The first editor leaves without an answer.
      choice: (() => {
        let times = 0;
        return () => (times++ === 0 ? new Promise<string>(() => {}) : Promise.resolve("once"));
      })(),
    },
    async (editor) => {
      const { agent, cwd, asked, updates } = editor;
      const sessionId = await newSession(editor);
      const first = say(agent, sessionId, "go");
      await expect.poll(() => asked.length).toBe(1);
      await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
      await expect.poll(() => asked.length).toBe(2);
      await expect.poll(() => wordsOf(updates, "agent_message_chunk")).toContain("Said.");
      expect(await first).toEqual({ stopReason: "end_turn" });
    },
  );
});

/** Lets the events of a session fail at the first one of a kind, once for each kind. */
function failingAt(kinds: SessionEvent["type"][]): (session: InteractiveSession) => void {
  return (session) => {
    const events = session.events.bind(session);
    session.events = async function* (options) {
      for await (const event of events(options)) {
        const at = kinds.indexOf(event.type);
        if (at >= 0) throw new Error(`no more than ${kinds.splice(at, 1)[0]}`);
        yield event;
      }
    };
  };
}

it("fails a prompt and a load whose events can't be read, instead of keeping them waiting", async () => {
  const script: Script = [{ deltas: ["never"], delayMs: Infinity }, { text: "here" }];
  const watch = failingAt(["turn_start", "turn_end"]);
  await withEditor({ script, watch }, async (editor) => {
    const { agent, cwd, updates, errors } = editor;
    const sessionId = await newSession(editor);
    await expect(say(agent, sessionId, "go")).rejects.toThrow(/no more than turn_start/);
    expect(errors).toHaveLength(1);
    // Nobody would see what it does.
    await expect(say(agent, sessionId, "go on")).rejects.toThrow(/no more than turn_start/);

    const load = () => agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    await expect(load()).rejects.toThrow(/no more than turn_end/);
    await load();
    updates.length = 0;
    expect(await say(agent, sessionId, "and now")).toEqual({ stopReason: "end_turn" });
    expect(wordsOf(updates, "agent_message_chunk")).toBe("here");
  });
});
