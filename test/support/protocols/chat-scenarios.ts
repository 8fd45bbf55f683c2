import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { expect, it } from "vitest";
import { ARCHIVE, DOT_PNG } from "./files.ts";
import { newSessionOn, type SessionServer } from "./session-server.ts";

/** A chat of the AI SDK on a session, which is given nothing but the address and the token. */
function chatOn(session: string, token: string, messages: UIMessage[] = []) {
  const errors: Error[] = [];
  const chat = new Chat({
    messages,
    transport: new DefaultChatTransport({
      api: `${session}/messages?profile=ai-sdk-ui`,
      headers: { authorization: `Bearer ${token}` },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: (error) => errors.push(error),
  });
  return { chat, errors };
}

type AnyChat = ReturnType<typeof chatOn>["chat"];

const WRITE = "run echo allowed >> out.txt; cat out.txt";

function tools({ lastMessage }: AnyChat): DynamicToolUIPart[] {
  return (lastMessage?.parts ?? []).filter((part) => part.type === "dynamic-tool");
}

function words({ lastMessage }: AnyChat): string {
  return (lastMessage?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function untilAsked(chat: AnyChat): Promise<DynamicToolUIPart> {
  await expect.poll(() => tools(chat).at(-1)?.state).toBe("approval-requested");
  await expect.poll(() => chat.status).toBe("ready");
  return tools(chat).at(-1)!;
}

async function answer(chat: AnyChat, approved: boolean, reason?: string): Promise<void> {
  const { approval } = await untilAsked(chat);
  await chat.addToolApprovalResponse({
    id: approval?.id ?? "",
    approved,
    ...(reason === undefined ? {} : { reason }),
  });
}

function opener(server: () => SessionServer) {
  return async () => {
    const { token } = server();
    const session = await newSessionOn(server());
    const call = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${session}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
    return { ...chatOn(session, token), session, token, call };
  };
}

/** Scenarios of the AI SDK's chat on a session, for every server of sessions. */
export function chatScenarios(server: () => SessionServer): void {
  const open = opener(server);

  it("streams an answer with its tools, and its usage in the end", async () => {
    const { chat, errors } = await open();
    await chat.sendMessage({ text: "list **/*" });
    expect(errors).toEqual([]);
    expect(tools(chat)).toMatchObject([{ toolName: "Glob", state: "output-available" }]);
    expect(words(chat)).toContain("README.md");
    expect(chat.lastMessage?.metadata).toMatchObject({
      usage: { totalTokens: expect.any(Number) },
    });
    await chat.sendMessage({ text: "list **/*" });
    expect(chat.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  it("asks for approval, and continues the same message with the answer", async () => {
    const { chat, errors } = await open();
    await chat.sendMessage({ text: WRITE });
    await answer(chat, true);
    await expect.poll(() => tools(chat)[0]?.state).toBe("output-available");
    await expect.poll(() => chat.status).toBe("ready");
    expect(words(chat)).toContain("allowed");
    expect(tools(chat)).toHaveLength(1);
    expect(chat.messages).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it("passes a denial and its reason on, and runs nothing", async () => {
    const { chat, call } = await open();
    await chat.sendMessage({ text: WRITE });
    await answer(chat, false, "not this one");
    await expect.poll(() => tools(chat)[0]?.state).toBe("output-denied");
    await expect.poll(() => chat.status).toBe("ready");
    expect(JSON.stringify(await (await call("/messages")).json())).toContain("not this one");
  });

  it("answers again in place of the last answer", async () => {
    const { chat, call } = await open();
    await chat.sendMessage({ text: "list **/*" });
    const { lastMessage: first } = chat;
    await chat.regenerate();
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.id).not.toBe(first?.id);
    expect(words(chat)).toContain("README.md");
    const { messages } = (await (await call("/messages")).json()) as {
      messages: { role: string }[];
    };
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("says why it takes no further message while an approval waits", async () => {
    const { chat, errors } = await open();
    await chat.sendMessage({ text: WRITE });
    await untilAsked(chat);
    await chat.sendMessage({ text: "something else" });
    expect(errors.at(-1)?.message).toContain("APPROVAL_PENDING");
  });

  it("refuses a client without the token", async () => {
    const { session } = await open();
    const { chat, errors } = chatOn(session, "wrong");
    await chat.sendMessage({ text: "hi" });
    expect(errors.at(-1)?.message).toContain("401");
  });
}

/** Images and files that the AI SDK's chat sends. */
export function chatFileScenarios(server: () => SessionServer): void {
  const open = opener(server);

  it("gives the model the files of a message", async () => {
    const { chat, errors, call } = await open();
    const file = (mediaType: string, filename: string, url: string) =>
      ({ type: "file", mediaType, filename, url }) as const;
    const png = `data:image/png;base64,${DOT_PNG}`;
    await chat.sendMessage({
      text: "look",
      files: [file("image/png", "dot.png", png), file("text/csv", "a.csv", "data:text/csv,1%2C2")],
    });
    expect(errors).toEqual([]);
    await chat.sendMessage({ files: [file("image/jpeg", "wrong-name.jpg", png)] });
    expect(errors).toEqual([]);
    const { messages } = (await (await call("/messages")).json()) as {
      messages: { role: string; content: unknown }[];
    };
    const image = (name: string) => ({
      type: "image",
      mediaType: "image/png",
      name,
      data: DOT_PNG,
    });
    const text = { type: "file", mediaType: "text/csv", name: "a.csv", data: btoa("1,2") };
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      [{ type: "text", text: "look" }, image("dot.png"), text],
      [{ type: "text", text: "" }, image("wrong-name.jpg")],
    ]);
  });

  it("says which files it takes none of", async () => {
    const { chat, errors } = await open();
    const file = { type: "file" as const, filename: "a.zip", mediaType: "application/zip" };
    await chat.sendMessage({
      text: "look",
      files: [{ ...file, url: `data:application/zip;base64,${ARCHIVE}` }],
    });
    expect(errors.at(-1)?.message).toContain("ATTACHMENT_REFUSED");
    await chat.sendMessage({
      text: "look",
      files: [{ ...file, url: "https://example.com/a.zip" }],
    });
    expect(errors.at(-1)?.message).toContain("is an address");
    const large = `data:image/png;base64,${DOT_PNG.padEnd(1_048_580, "A")}`;
    await chat.sendMessage({ text: "look", files: [{ ...file, url: large }] });
    expect(errors.at(-1)?.message).toContain("ATTACHMENT_TOO_LARGE");
  });
}

/** How the AI SDK's chat comes back to a turn. */
export function resumingScenarios(server: () => SessionServer): void {
  const open = opener(server);

  it("resumes a waiting turn in another client, which answers it", async () => {
    const { chat, session, token } = await open();
    await chat.sendMessage({ text: WRITE });
    await untilAsked(chat);
    const other = chatOn(session, token).chat;
    await other.resumeStream();
    expect(other.lastMessage?.id).toBe(chat.lastMessage?.id);
    await answer(other, true);
    await expect.poll(() => tools(other)[0]?.state).toBe("output-available");
    await expect.poll(() => words(other)).toContain("allowed");
  });

  it("resumes a running turn from its start, once, after the connection was lost", async () => {
    const { chat, call } = await open();
    await chat.sendMessage({ text: "run sleep 2; echo slept > out.txt; cat out.txt" });
    await answer(chat, true);
    const state = async () => ((await (await call("")).json()) as { state: string }).state;
    await expect.poll(state).toBe("open");
    await chat.stop();
    expect(tools(chat)[0]?.state).not.toBe("output-available");
    await chat.resumeStream();
    expect(tools(chat)).toMatchObject([{ state: "output-available" }]);
    expect(words(chat)).toContain("slept");
    expect(chat.messages).toHaveLength(2);
    // Nothing runs any more.
    await chat.resumeStream();
    expect([chat.status, chat.messages.length]).toEqual(["ready", 2]);
  });
}
