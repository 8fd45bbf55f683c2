import {
  type AssistantMessage,
  type ChatOptions,
  contentText,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Part,
} from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { events, type WireFetch, wireFetch } from "../../support/wire/wire-fetch.ts";
import { KEY, user } from "../../support/wire/wire-providers.ts";

const citation = {
  type: "web_search_result_location",
  url: "https://example.com/a",
  title: "Page A",
  cited_text: "It rained.",
  encrypted_index: "opaque-index",
};
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [
    {
      type: "web_search_result",
      url: "https://example.com/a",
      title: "Page A",
      encrypted_content: "opaque-content",
      page_age: null,
    },
  ],
};
const start = {
  type: "message_start",
  message: { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: 1 } },
};
const block = (index: number, content_block: object, ...deltas: object[]): object[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const end = (stop_reason: string): object[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const search = block(
  0,
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
  { type: "input_json_delta", partial_json: '{"query":' },
  { type: "input_json_delta", partial_json: '"weather"}' },
);
const cited = [
  ...block(2, { type: "text", text: "" }, { type: "text_delta", text: "I looked. " }),
  ...block(
    3,
    { type: "text", text: "", citations: [] },
    { type: "citations_delta", citation },
    { type: "text_delta", text: "It rained." },
  ),
];
const searched = events(start, ...search, ...block(1, found), ...cited, ...end("end_turn"));
const paused = events(start, ...search, ...end("pause_turn"));
const resumed = events(
  { ...start, message: { ...start.message, id: "msg_2" } },
  ...block(0, found),
  ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "It rained." }),
  ...end("end_turn"),
);

const anthropic = ({ fetch }: WireFetch): AnthropicProvider =>
  new AnthropicProvider({
    apiKey: KEY,
    model: "m",
    baseURL: "http://127.0.0.1:9",
    fetch,
    maxRetries: 0,
    dangerouslyAllowBrowser: true,
    webSearch: { maxUses: 3, allowedDomains: ["example.com"] },
  });
const parts = ({ content }: AssistantMessage): Part[] =>
  typeof content === "string" ? [] : content;

describe("Anthropic's web search", () => {
  it("is enabled by one session's handle, and reported while it runs", async () => {
    const service = wireFetch(() => searched);
    const provider = anthropic(service);
    const { webSearch, chatOptions } = provider.configureNativeWebTools({ webSearch: true });
    expect(webSearch).toBe(true);
    const order: string[] = [];
    await provider.chat([user("Weather?")], {
      ...chatOptions,
      onServerToolUse: ({ name, input }) => order.push(`${name} ${JSON.stringify(input)}`),
      onTextDelta: (delta) => order.push(delta),
    });
    expect(order).toEqual(['web_search {"query":"weather"}', "I looked. ", "It rained."]);
    await provider.chat([user("Weather?")], {});
    await provider.chat(
      [user("Weather?")],
      provider.configureNativeWebTools({ webSearch: false }).chatOptions,
    );
    expect(service.bodies.map(({ tools }) => tools)).toEqual([
      [
        {
          type: "web_search_20250305",
          name: "web_search",
          max_uses: 3,
          allowed_domains: ["example.com"],
        },
      ],
      undefined,
      undefined,
    ]);
  });

  it("is used by a session when no approval is needed", async () => {
    const service = wireFetch(() => searched);
    const tools = async (more: Partial<InteractiveSessionOptions>): Promise<string> => {
      const platform = memoryPlatform();
      const session = new InteractiveSession({ platform, provider: anthropic(service), ...more });
      const { response } = await session.submit("Weather?");
      expect(response).toBe("I looked. It rained.");
      await session.shutdown();
      return JSON.stringify(service.bodies.at(-1));
    };
    const reported = "Where web_search is offered";
    const allowed = await tools({ permissions: { allow: ["WebSearch"] } });
    expect(allowed).toContain(offered);
    expect(allowed).toContain(reported);
    expect(await tools({ permissionMode: "bypassPermissions" })).toContain(offered);
    expect(await tools({})).not.toContain(offered);
    expect(await tools({ permissions: { ask: ["WebSearch"] } })).not.toContain(offered);
    const without = await tools({ nativeWebTools: false, permissions: { allow: ["WebSearch"] } });
    expect(without).not.toContain(offered);
    expect(without).not.toContain(reported);
  });

  const asks = (query: string): string =>
    events(
      start,
      ...block(
        0,
        { type: "tool_use", id: `toolu_${query}`, name: "WebSearch", input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify({ query }) },
      ),
      ...end("tool_use"),
    );
  const offered = '"type":"web_search_20250305"';
  const named = '"name":"WebSearch"';

  it("needs one approval in `default` mode, whose answer covers the session", async () => {
    const replies = [asks("a"), searched, asks("b"), searched, searched, searched];
    const service = wireFetch((_, call) => replies[call] ?? "");
    const platform = memoryPlatform();
    const session = new InteractiveSession({ platform, provider: anthropic(service) });
    const turn = session.submit("Weather?");
    const sent = (index: number): string => JSON.stringify(service.bodies[index] ?? null);

    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const [first] = session.pendingPermissions();
    // The question is data, and says what is looked for.
    expect(first).toMatchObject({
      tool: "WebSearch",
      args: { query: "a" },
      suggestedPattern: "WebSearch",
    });
    expect(sent(0)).not.toContain(offered);
    expect(sent(0)).toContain(named);
    await session.resolvePermission(first?.id ?? "", true);

    // It is allowed once: the service searched for that, and is asked about the next one.
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const [second] = session.pendingPermissions();
    expect(second).toMatchObject({ args: { query: "b" } });
    expect(sent(1)).toContain(offered);
    expect(sent(1)).toContain("Search the web for: a");
    expect(sent(1)).not.toContain("Weather?");
    expect(sent(2)).toContain("I looked. It rained.");
    expect(sent(2)).not.toContain(offered);
    await session.resolvePermission(second?.id ?? "", { allow: true, scope: "session" });

    // From the next call on, the service searches by itself.
    expect(await turn).toMatchObject({ state: "complete", response: "I looked. It rained." });
    expect(sent(4)).toContain(offered);
    expect(session.getSessionAllowedTools()).toEqual(["WebSearch"]);
    await session.submit("And tomorrow?");
    expect(sent(5)).toContain(offered);
    expect(service.bodies).toHaveLength(6);
    await session.shutdown();
  });

  it("is not used after a denial, nor when a rule denies it", async () => {
    const replies = [asks("a"), searched];
    const service = wireFetch((_, call) => replies[call % 2] ?? "");
    for (const options of [
      { permissionHandler: () => false },
      { permissions: { deny: ["WebSearch"] } },
      { permissions: { deny: ["WebSearch"] }, permissionMode: "bypassPermissions" as const },
    ]) {
      const platform = memoryPlatform();
      const session = new InteractiveSession({
        platform,
        provider: anthropic(service),
        ...options,
      });
      await session.submit("Weather?");
      await session.shutdown();
      const sent = service.bodies.splice(0).map((body) => JSON.stringify(body));
      expect(sent).toHaveLength(2);
      expect(sent.join()).not.toContain(offered);
      expect(sent[1]).toContain("Permission denied");
    }
  });

  it("keeps results and citations, and sends them back unchanged", async () => {
    const service = wireFetch(() => searched);
    const provider = anthropic(service);
    const answer = await provider.chat([user("Weather?")], { nativeWebSearch: true });
    expect(contentText(answer.content)).toBe("I looked. It rained.");
    expect(parts(answer).flatMap((part) => (part.type === "text" ? [part.citations] : []))).toEqual(
      [
        undefined,
        [
          {
            url: "https://example.com/a",
            title: "Page A",
            citedText: "It rained.",
            data: citation,
          },
        ],
      ],
    );
    await provider.chat([user("Weather?"), answer, user("Sure?")], { nativeWebSearch: true });
    const [, second = {}] = service.bodies;
    const [, sent] = second["messages"] as { content: object[] }[];
    expect(sent?.content).toEqual([
      {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "web_search",
        input: { query: "weather" },
      },
      found,
      { type: "text", text: "I looked. " },
      { type: "text", text: "It rained.", citations: [citation] },
    ]);
  });

  it("omits Anthropic's own parts from another provider's request", async () => {
    const answer = await anthropic(wireFetch(() => searched)).chat([user("Weather?")]);
    const other = wireFetch(
      () => events({ choices: [{ delta: { content: "Yes." } }] }) + "data: [DONE]\n\n",
    );
    await new OpenAIProvider({
      apiKey: KEY,
      model: "m",
      baseURL: "http://127.0.0.1:9",
      fetch: other.fetch,
      dangerouslyAllowBrowser: true,
    }).chat([user("Weather?"), answer, user("Sure?")]);
    expect(other.bodies[0]?.["messages"]).toEqual([
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "I looked. It rained." },
      { role: "user", content: "Sure?" },
    ]);
  });
});

describe("an answer that the service pauses", () => {
  const pausing = (...replies: (string | Response)[]): WireFetch =>
    wireFetch((_, call) => replies[call] ?? "");
  const ask = async (
    service: WireFetch,
    options: ChatOptions = {},
  ): Promise<{ shown: string; message?: AssistantMessage; error?: unknown }> => {
    let shown = "";
    const provider = anthropic(service);
    try {
      const message = await provider.chat([user("Weather?")], {
        nativeWebSearch: true,
        ...options,
        onTextDelta: (delta) => (shown += delta),
      });
      return { shown, message };
    } catch (error) {
      return { shown, error };
    }
  };

  it("is continued, as one message", async () => {
    const service = pausing(paused, resumed);
    const { shown, message } = await ask(service);
    expect(shown).toBe("It rained.");
    expect(message).toMatchObject({
      id: "msg_1",
      state: "complete",
      stopReason: "end_turn",
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    const [, second = {}] = service.bodies;
    expect((second["messages"] as { role: string }[]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
    ]);
    expect(JSON.stringify(second["messages"])).toContain("srvtoolu_1");
    const types = parts(message as AssistantMessage).map(({ type }) => type);
    expect(types).toEqual(["provider", "provider", "text"]);
  });

  it("is continued a limited number of times", async () => {
    const service = wireFetch(() => paused);
    const { message } = await ask(service);
    expect(message?.stopReason).toBe("pause_turn");
    expect(service.bodies).toHaveLength(9);
  });

  it("keeps shown text when it can't be continued", async () => {
    const half = events(
      start,
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "I will look." }),
      ...block(1, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      ...end("pause_turn"),
    );
    const failed = Response.json({ error: { type: "overloaded_error" } }, { status: 529 });
    const { shown, message } = await ask(pausing(half, failed));
    expect(shown).toBe("I will look.");
    expect(message).toMatchObject({
      state: "interrupted",
      content: [{ type: "text", text: "I will look." }],
      error: { code: "OVERLOADED" },
    });
    const nothing = Response.json({ error: { type: "overloaded_error" } }, { status: 529 });
    expect((await ask(pausing(paused, nothing))).error).toMatchObject({ code: "OVERLOADED" });
  });
});

describe("OpenAI's web search", () => {
  const annotation = {
    type: "url_citation",
    url: "https://example.com/a",
    title: "Page A",
    start_index: 0,
    end_index: 10,
  };

  it("is reported while it runs, and its citations are kept", async () => {
    const call = {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "weather" },
    };
    const text = { type: "output_text", text: "It rained.", annotations: [annotation] };
    const said = { type: "message", id: "msg_1", role: "assistant", content: [text] };
    const response = { id: "resp_1", model: "m", status: "completed", output: [call, said] };
    const service = wireFetch(() =>
      events(
        { type: "response.created", response: { id: "resp_1" } },
        { type: "response.output_item.added", output_index: 0, item: { ...call, action: {} } },
        { type: "response.output_item.done", output_index: 0, item: call },
        { type: "response.output_item.added", output_index: 1, item: { ...said, content: [] } },
        {
          type: "response.output_text.delta",
          output_index: 1,
          content_index: 0,
          delta: "It rained.",
        },
        { type: "response.output_text.annotation.added", output_index: 1, annotation },
        { type: "response.output_item.done", output_index: 1, item: said },
        { type: "response.completed", response },
      ),
    );
    const provider = new OpenAIProvider({
      apiKey: KEY,
      model: "m",
      baseURL: "http://127.0.0.1:9",
      api: "responses",
      fetch: service.fetch,
      dangerouslyAllowBrowser: true,
    });
    const { webSearch, chatOptions } = provider.configureNativeWebTools({ webSearch: true });
    expect(webSearch).toBe(true);
    const used: unknown[] = [];
    const answer = await provider.chat([user("Weather?")], {
      ...chatOptions,
      onServerToolUse: (use) => used.push(use),
    });
    expect(used).toEqual([{ name: "web_search", input: { type: "search", query: "weather" } }]);
    expect(parts(answer).at(-1)).toEqual({
      type: "text",
      text: "It rained.",
      citations: [{ url: "https://example.com/a", title: "Page A" }],
    });
    await provider.chat([user("Weather?"), answer, user("Sure?")]);
    expect(service.bodies[0]?.["tools"]).toEqual([{ type: "web_search" }]);
    expect(service.bodies[1]?.["tools"]).toBeUndefined();
    expect(service.bodies[1]?.["input"]).toMatchObject([
      { role: "user" },
      { type: "web_search_call", id: "ws_1" },
      { role: "assistant", content: "It rained." },
      { role: "user" },
    ]);
  });

  it("is offered by a router in its own format, with the cited pages", async () => {
    const cites = { type: "url_citation", url_citation: { ...annotation, content: "It rained." } };
    const service = wireFetch(() =>
      events(
        { choices: [{ delta: { content: "It rained." } }] },
        { choices: [{ delta: { annotations: [cites] }, finish_reason: "stop" }] },
      ),
    );
    const provider = compatibleProvider("openRouter", {
      apiKey: KEY,
      model: "m",
      fetch: service.fetch,
      dangerouslyAllowBrowser: true,
    });
    const { chatOptions } = provider.configureNativeWebTools({ webSearch: true });
    const answer = await provider.chat([user("Weather?")], chatOptions);
    expect(service.bodies[0]).toMatchObject({ plugins: [{ id: "web" }] });
    expect(answer.content).toEqual([
      {
        type: "text",
        text: "It rained.",
        citations: [{ url: "https://example.com/a", title: "Page A", citedText: "It rained." }],
      },
    ]);
  });
});
