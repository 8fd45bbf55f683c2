import { contentText, createOpenAPITools, InteractiveSession, Robota } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { httpTransport, inProcessSessions, openApiDocument } from "@robota/runtime/transports";
import { expect, it } from "vitest";

it("lets an agent use another one's sessions over HTTP, by the server's OpenAPI document", async () => {
  const platform = memoryPlatform({ files: { "/code/": "" } });
  const worker = new ScriptedProvider([{ text: "Done" }]);
  const server = httpTransport({
    tokens: { boss: "boss-token" },
    sessions: inProcessSessions({
      storage: platform.storage,
      open: (session) =>
        new InteractiveSession({ platform, provider: worker, cwd: "/code", ...session }),
    }),
  });
  const tools = await createOpenAPITools(await openApiDocument(), {
    baseUrl: "http://localhost",
    credentials: { bearer: "boss-token" },
    fetch: async (input, init) => server.fetch(new Request(input, init)),
  });

  const sessionId = (text: string): string => (JSON.parse(text) as { id: string }).id;
  let id = "";
  const boss = new ScriptedProvider([
    { toolCalls: [{ name: "createSession", args: { body: { name: "errand" } } }] },
    ({ messages }) => {
      id = sessionId(contentText(messages.at(-1)?.content ?? ""));
      return { toolCalls: [{ name: "sendMessage", args: { id, body: { text: "Do it" } } }] };
    },
    () => ({ toolCalls: [{ name: "getSession", args: { id } }] }),
    () => ({ toolCalls: [{ name: "getSession", args: { id: "nobody" } }] }),
    { text: "It is done" },
  ]);
  const agent = new Robota({ provider: boss, tools });
  expect((await agent.run("Have it done")).text).toBe("It is done");

  const results = agent.getHistory().filter((message) => message.role === "tool");
  expect(results).toMatchObject([
    { content: expect.stringContaining(id) },
    { content: expect.stringContaining("turnId") },
    { content: expect.stringContaining('"name":"errand"') },
    { errorCode: "http_404", content: expect.stringContaining("There is no such session") },
  ]);
  expect(JSON.stringify(agent.getHistory())).not.toContain("boss-token");
  await expect.poll(() => worker.requests.length).toBe(1);
});
