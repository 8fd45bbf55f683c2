import { HttpAgent, type Message, type ResumeEntry } from "@ag-ui/client";
import { expect, it } from "vitest";
import { ARCHIVE, DOT_PNG } from "./files.ts";
import { newSessionOn, type SessionServer } from "./session-server.ts";

const WRITE = "run echo allowed >> out.txt; cat out.txt";

interface Run {
  agent: HttpAgent;
  /** How the last run ended. */
  outcome: () => string;
}

/** A client of AG-UI on a session, which is given nothing but the address and the token. */
function agentOn(session: string, token: string): Run {
  const agent = new HttpAgent({
    url: `${session}/messages?profile=ag-ui`,
    headers: { authorization: `Bearer ${token}` },
  });
  let ended = "";
  agent.subscribe({ onRunFinishedEvent: ({ outcome }) => void (ended = outcome) });
  return { agent, outcome: () => ended };
}

function say(agent: HttpAgent, content: string): void {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
}

function answers(agent: HttpAgent, payload: object): ResumeEntry[] {
  return agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: "resolved",
    payload,
  }));
}

const ofTools = ({ messages }: HttpAgent): Message[] =>
  messages.filter(({ role }) => role === "tool");

/** A new session with its client, and requests beside it. */
async function openOn(server: SessionServer) {
  const { token } = server;
  const session = await newSessionOn(server);
  const headers = { authorization: `Bearer ${token}` };
  const call = (path: string): Promise<Response> => fetch(`${session}${path}`, { headers });
  return { ...agentOn(session, token), session, token, call };
}

/** Scenarios of AG-UI's client on a session, for every server of sessions. */
export function agUiScenarios(server: () => SessionServer): void {
  const open = () => openOn(server());

  it("streams a turn as a run, with its tools and the state", async () => {
    const { agent, outcome } = await open();
    say(agent, "list **/*");
    const { result } = await agent.runAgent();
    expect(outcome()).toBe("success");
    expect(result).toContain("README.md");
    expect(agent.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(agent.state).toMatchObject({ context: { maxTokens: expect.any(Number) } });
    say(agent, "list **/*");
    await agent.runAgent();
    expect(agent.messages).toHaveLength(8);
  });

  it("interrupts the run for an approval, and continues it with the answer", async () => {
    const { agent, outcome } = await open();
    say(agent, WRITE);
    await agent.runAgent();
    expect(outcome()).toBe("interrupt");
    expect(agent.pendingInterrupts).toMatchObject([
      { reason: "tool_call", metadata: { tool: "Bash" } },
    ]);
    await agent.runAgent({ resume: answers(agent, { approved: true }) });
    expect([outcome(), agent.pendingInterrupts]).toEqual(["success", []]);
    expect(ofTools(agent)).toMatchObject([{ content: expect.stringContaining("allowed") }]);
  });

  it("passes a denial on, and runs nothing", async () => {
    const { agent } = await open();
    say(agent, WRITE);
    await agent.runAgent();
    await agent.runAgent({ resume: answers(agent, { approved: false, reason: "not this one" }) });
    expect(ofTools(agent)).toMatchObject([{ content: expect.stringContaining("not this one") }]);
  });

  it("shows a run again to a client that sends it again, and does it once", async () => {
    const { agent, session, token, call } = await open();
    say(agent, "run sleep 2; echo slept >> run-1.txt; cat run-1.txt");
    await agent.runAgent({ runId: "run-1" });
    const resume = answers(agent, { approved: true });
    const lost = agent.runAgent({ runId: "run-2", resume });
    const state = async () => ((await (await call("")).json()) as { state: string }).state;
    await expect.poll(state).toBe("open");
    agent.abortRun();
    await lost;

    const { agent: other, outcome } = agentOn(session, token);
    other.setMessages(agent.messages.filter(({ role }) => role === "user"));
    await other.runAgent({ runId: "run-1" });
    await expect.poll(state).toBe("idle");
    await other.runAgent({ runId: "run-2", resume });
    expect(outcome()).toBe("success");
    expect(ofTools(other).at(-1)).toMatchObject({ content: expect.stringMatching(/^slept\s*$/) });
    const { messages } = (await (await call("/messages")).json()) as { messages: Message[] };
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("refuses a wrong answer, and a client without the token", async () => {
    const { agent, session } = await open();
    say(agent, WRITE);
    await agent.runAgent();
    await expect(agent.runAgent({ resume: answers(agent, { yes: 1 }) })).rejects.toThrow("422");
    const { agent: stranger } = agentOn(session, "wrong");
    say(stranger, "hi");
    await expect(stranger.runAgent()).rejects.toThrow("401");
  });
}

/** Images and files that AG-UI's client sends. */
export function agUiFileScenarios(server: () => SessionServer): void {
  it("gives the model the images and documents of a message, and says which it takes none of", async () => {
    const { agent, outcome, call } = await openOn(server());
    const image = { type: "data" as const, value: DOT_PNG, mimeType: "image/png" };
    const document = { type: "data" as const, value: btoa("1,2"), mimeType: "text/csv" };
    agent.addMessage({
      id: "with-files",
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source: image },
        { type: "document", source: document, metadata: { filename: "a.csv" } },
      ],
    });
    await agent.runAgent();
    expect(outcome()).toBe("success");
    const { messages } = (await (await call("/messages")).json()) as { messages: unknown[] };
    expect(messages[0]).toMatchObject({
      content: [
        { type: "text", text: "look" },
        { type: "image", mediaType: "image/png", data: DOT_PNG },
        { type: "file", mediaType: "text/csv", name: "a.csv", data: btoa("1,2") },
      ],
    });
    for (const [source, code] of [
      [{ ...document, value: ARCHIVE }, "ATTACHMENT_REFUSED"],
      [{ type: "url" as const, value: "https://example.com/a.png" }, "is an address"],
      [{ ...image, value: DOT_PNG.padEnd(1_048_580, "A") }, "ATTACHMENT_TOO_LARGE"],
    ] as const) {
      const { agent: other } = await openOn(server());
      other.addMessage({ id: "m", role: "user", content: [{ type: "image", source }] });
      await expect(other.runAgent()).rejects.toThrow(code);
    }
  });
}

/** The order of runs around an interrupt, for every server of sessions. */
export function agUiInterruptScenarios(server: () => SessionServer): void {
  it("begins no run while an interrupt is open, and says so", async () => {
    const { agent, outcome, session, token, call } = await openOn(server());
    say(agent, WRITE);
    await agent.runAgent({ runId: "asks" });
    const { agent: other } = agentOn(session, token);
    const errors: unknown[] = [];
    other.subscribe({ onRunErrorEvent: ({ event }) => void errors.push(event) });
    say(other, "list **/*");
    await other.runAgent({ runId: "early" }).catch(() => undefined);
    expect(errors).toMatchObject([
      { code: "INTERRUPTS_OPEN", message: expect.stringContaining("resume") },
    ]);
    // Sent again, the interrupted run itself is shown, with its interrupt.
    const { agent: same, outcome: again } = agentOn(session, token);
    say(same, WRITE);
    await same.runAgent({ runId: "asks" });
    expect(again()).toBe("interrupt");
    await agent.runAgent({ resume: answers(agent, { approved: true }) });
    expect(outcome()).toBe("success");
    const { messages } = (await (await call("/messages")).json()) as { messages: Message[] };
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
    await other.runAgent({ runId: "early" });
    expect(other.messages.at(-1)).toMatchObject({ role: "assistant" });
  });
}
