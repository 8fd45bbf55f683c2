import {
  client,
  type ContentBlock,
  type McpServer,
  ndJsonStream,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { InteractiveSession, type Message } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { acpTransport, type AcpTransportOptions } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { withHost } from "#host";
import { expect, it } from "vitest";
import { ARCHIVE, DOT_PNG } from "../../support/protocols/files.ts";
import { echo } from "../../support/support.ts";
import {
  echoes,
  newSession,
  say,
  text,
  type Script,
  withEditor,
  wordsOf,
} from "../../support/protocols/acp-editor.ts";

it("streams thoughts, words and a tool call with its kind, place and result", async () => {
  const script: Script = [
    {
      thinking: "A file.",
      text: "I look.",
      toolCalls: [{ name: "Read", args: { filePath: "a.txt" } }],
    },
    { deltas: ["It says ", "alpha."] },
  ];
  await withEditor({ script }, async (editor) => {
    const { agent, cwd, updates, platform } = editor;
    await platform.fs.writeFile(`${cwd}/a.txt`, "alpha\n");
    const sessionId = await newSession(editor);
    const answer = await say(agent, sessionId, "read it");
    expect(answer).toEqual({ stopReason: "end_turn" });
    expect(wordsOf(updates, "agent_thought_chunk")).toBe("A file.");
    expect(wordsOf(updates, "agent_message_chunk")).toBe("I look.It says alpha.");
    const calls = updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
    expect(calls).toMatchObject([
      {
        sessionUpdate: "tool_call",
        title: "Read a.txt",
        kind: "read",
        status: "pending",
        locations: [{ path: `${cwd}/a.txt` }],
      },
      { status: "in_progress" },
      { status: "completed", content: [{ content: { text: expect.stringContaining("alpha") } }] },
    ]);
    expect(updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: "usage_update", size: expect.any(Number) }),
    );
  });
});

it("asks with the change as a diff, and reports it as one", async () => {
  const script: Script = [
    { toolCalls: [{ name: "Write", args: { filePath: "b.txt", content: "beta\n" } }] },
    { text: "Done." },
  ];
  await withEditor({ script }, async (editor) => {
    const { agent, cwd, updates, asked, platform } = editor;
    const sessionId = await newSession(editor);
    await say(agent, sessionId, "write it");
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: {
          kind: "edit",
          content: [{ type: "diff", path: `${cwd}/b.txt`, oldText: null, newText: "beta\n" }, {}],
        },
        options: [
          { optionId: "once", kind: "allow_once" },
          { optionId: "session", kind: "allow_always" },
          { optionId: "workspace", kind: "allow_always" },
          { optionId: "deny", kind: "reject_once" },
        ],
      },
    ]);
    expect(updates).toContainEqual(
      expect.objectContaining({
        status: "completed",
        content: [{ type: "diff", path: `${cwd}/b.txt`, oldText: null, newText: "beta\n" }],
      }),
    );
    expect(await platform.fs.readFile(`${cwd}/b.txt`)).toEqual(new TextEncoder().encode("beta\n"));
  });
});

it("keeps an allowance for the session, and asks no more", async () => {
  await withEditor({ script: echoes(2), tools: [echo], choice: "session" }, async (editor) => {
    const sessionId = await newSession(editor);
    await say(editor.agent, sessionId, "go");
    expect(editor.asked).toHaveLength(1);
    expect(wordsOf(editor.updates, "agent_message_chunk")).toBe("Said.");
  });
});

it("takes an unknown option for a denial, and a dismissed question for a stop", async () => {
  await withEditor({ script: echoes(1), tools: [echo], choice: "everything" }, async (editor) => {
    const sessionId = await newSession(editor);
    const answer = await say(editor.agent, sessionId, "go");
    expect(answer.stopReason).toBe("end_turn");
    expect(editor.updates).toContainEqual(expect.objectContaining({ status: "failed" }));
  });
  await withEditor({ script: echoes(1), tools: [echo], choice: "cancelled" }, async (editor) => {
    const sessionId = await newSession(editor);
    const answer = await say(editor.agent, sessionId, "go");
    expect(answer.stopReason).toBe("cancelled");
  });
});

it("cancels a turn that runs, and goes on with the next prompt", async () => {
  const script: Script = [{ deltas: ["never"], delayMs: Infinity }, { text: "here" }];
  await withEditor({ script }, async (editor) => {
    const { agent, updates } = editor;
    const sessionId = await newSession(editor);
    const turn = say(agent, sessionId, "go");
    await expect
      .poll(() => updates.some(({ sessionUpdate }) => sessionUpdate === "usage_update"))
      .toBe(true);
    await agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    const next = await say(agent, sessionId, "again");
    expect(next.stopReason).toBe("end_turn");
    expect(wordsOf(updates, "agent_message_chunk")).toBe("here");
  });
});

it("shows the images of a tool's result, and says that it takes images in prompts", async () => {
  const script: Script = [
    { toolCalls: [{ name: "Read", args: { filePath: "dot.gif" } }] },
    { text: "A dot." },
  ];
  await withEditor({ script }, async (editor) => {
    const { agent, cwd, updates, platform } = editor;
    const { agentCapabilities } = await agent.request("initialize", { protocolVersion: 1 });
    expect(agentCapabilities?.promptCapabilities).toEqual({ image: true, embeddedContext: true });
    await platform.fs.writeFile(`${cwd}/dot.gif`, "GIF89a dot");
    await say(agent, await newSession(editor), "look");
    expect(updates).toContainEqual(
      expect.objectContaining({
        status: "completed",
        content: [
          expect.anything(),
          {
            type: "content",
            content: { type: "image", data: btoa("GIF89a dot"), mimeType: "image/gif" },
          },
        ],
      }),
    );
  });
});

it("offers modes and commands, sets one and runs the other", async () => {
  await withEditor({ script: [{ text: "Hi." }] }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const { sessionId, modes } = await agent.request("session/new", { cwd, mcpServers: [] });
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(["plan", "default", "acceptEdits"]);
    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await expect
      .poll(() => updates)
      .toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    await expect(
      agent.request("session/set_mode", { sessionId, modeId: "bypassPermissions" }),
    ).rejects.toThrow("The mode is one of plan, default, acceptEdits.");
    await expect
      .poll(() => updates)
      .toContainEqual(
        expect.objectContaining({
          sessionUpdate: "available_commands_update",
          availableCommands: expect.arrayContaining([expect.objectContaining({ name: "context" })]),
        }),
      );
    const answer = await say(agent, sessionId, "/context");
    expect(answer.stopReason).toBe("end_turn");
    expect(wordsOf(updates, "agent_message_chunk")).toMatch(/tokens/i);
  });
});

it("takes links, embedded texts and files, and images, and refuses what models take none of", async () => {
  const said: Message["content"][] = [];
  const see: Script[number] = ({ messages }) => {
    said.push(messages.at(-1)?.content ?? "");
    return { text: "Seen." };
  };
  const script: Script = [see, see];
  await withEditor({ script }, async (editor) => {
    const { agent, cwd } = editor;
    const sessionId = await newSession(editor);
    const ask = (prompt: ContentBlock[]) => say(agent, sessionId, prompt);
    const audio = { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" };
    await expect(ask([audio])).rejects.toMatchObject({
      message: expect.stringContaining("no audio"),
      data: { code: "ATTACHMENT_REFUSED", hint: expect.stringContaining("workspace") },
    });
    const archive = { uri: "file:///work/a.zip", blob: ARCHIVE, mimeType: "application/zip" };
    await expect(ask([{ type: "resource", resource: archive }])).rejects.toThrow("a.zip is no");
    await ask([
      ...text("see "),
      { type: "resource_link", uri: "file:///work/a%20b.txt", name: "a b.txt" },
      { type: "resource", resource: { uri: "https://example.com/c", text: "gamma" } },
    ]);
    expect(said).toEqual([expect.stringMatching(/@\/work\/a b\.txt[^]*gamma/)]);
    const csv = { uri: "file:///work/a.csv", blob: btoa("1,2"), mimeType: "text/csv" };
    await ask([
      ...text("compare "),
      { type: "image", data: DOT_PNG, mimeType: "image/png" },
      { type: "resource", resource: csv },
    ]);
    expect(said[1]).toEqual([
      { type: "text", text: "compare @/work/a.csv" },
      { type: "image", mediaType: "image/png", data: DOT_PNG },
      { type: "file", mediaType: "text/csv", name: "a.csv", data: btoa("1,2") },
    ]);
    await agent.request("session/close", { sessionId });
    editor.updates.length = 0;
    await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    const shown = editor.updates.flatMap((update) =>
      update.sessionUpdate === "user_message_chunk" && update.content.type !== "text"
        ? [update.content]
        : [],
    );
    expect(shown).toMatchObject([
      { type: "image", data: DOT_PNG, mimeType: "image/png" },
      { type: "resource", resource: { text: "1,2", mimeType: "text/csv" } },
    ]);
    const mcp = { name: "files", command: "/bin/files", args: [], env: [] };
    await expect(agent.request("session/new", { cwd, mcpServers: [mcp] })).rejects.toThrow(
      "takes no MCP servers",
    );
  });
});

it("hands the client's MCP servers on to a host that takes them", async () => {
  const seen: unknown[] = [];
  const more: Partial<AcpTransportOptions> = {
    takesMcpServers: true,
    open: async ({ mcpServers }) => {
      seen.push(mcpServers);
      const platform = memoryPlatform();
      return new InteractiveSession({ platform, provider: new ScriptedProvider([]) });
    },
  };
  await withEditor({ script: [], more }, async ({ agent, cwd }) => {
    const pair = { name: "KEY", value: "v" };
    const ask = (...mcpServers: McpServer[]) => agent.request("session/new", { cwd, mcpServers });
    await ask(
      { name: "my files", command: "/bin/files", args: ["-v"], env: [pair] },
      { type: "http", name: "search", url: "https://example.com/mcp", headers: [pair] },
    );
    const old = { type: "sse" as const, name: "old", url: "https://example.com/", headers: [] };
    await expect(ask(old)).rejects.toThrow("speaks SSE");
  });
  expect(seen).toEqual([
    {
      "my-files": { command: "/bin/files", args: ["-v"], env: { KEY: "v" } },
      search: { url: "https://example.com/mcp", headers: { KEY: "v" } },
    },
  ]);
});

it("answers a failed turn with an error, and unknown sessions too", async () => {
  await withEditor({ script: [{ error: "no credit left" }] }, async (editor) => {
    const { agent } = editor;
    const sessionId = await newSession(editor);
    const failed = say(agent, sessionId, "go");
    await expect(failed).rejects.toThrow("no credit left");
    const unknown = say(agent, "none", "go");
    await expect(unknown).rejects.toThrow(/not found/i);
  });
});

it("gives a client the session that the program attached, over a channel of messages", async () => {
  await withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "Hello." }]);
    await using session = new InteractiveSession({ platform, cwd, provider });
    const { port1, port2 } = new MessageChannel();
    const transport = acpTransport({ channel: port1 });
    session.attachTransport(transport);
    await transport.start();
    const updates: SessionUpdate[] = [];
    const messages = new TransformStream<Uint8Array, Uint8Array>();
    const writer = messages.writable.getWriter();
    port2.addEventListener("message", ({ data }: { data: unknown }) => {
      void writer.write(new TextEncoder().encode(`${String(data)}\n`));
    });
    port2.start();
    let line = "";
    const output = new WritableStream<Uint8Array>({
      write(bytes) {
        line += new TextDecoder().decode(bytes);
        const lines = line.split("\n");
        line = lines.pop() ?? "";
        for (const whole of lines) port2.postMessage(whole);
      },
    });
    await client({ name: "page" })
      .onNotification("session/update", ({ params }) => void updates.push(params.update))
      .connectWith(ndJsonStream(output, messages.readable), async (agent) => {
        await agent.request("initialize", { protocolVersion: 1 });
        const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
        expect(sessionId).toBe(session.sessionId);
        await say(agent, sessionId, "hi");
      });
    expect(wordsOf(updates, "agent_message_chunk")).toBe("Hello.");
    await transport.stop();
    port2.close();
    // The program's own session is not the client's to close.
    expect(session.isExecuting()).toBe(false);
    await session.setName("still open");
  });
});
