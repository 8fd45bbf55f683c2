import { browserPlatform } from "@robota/adapters-web";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";

const output = document.querySelector<HTMLPreElement>("#output")!;
const form = document.querySelector<HTMLFormElement>("#form")!;
const input = form.querySelector("input")!;

// A script answers. For a model, pass a provider such as AnthropicProvider of @robota/runtime/providers/anthropic.
const session = new InteractiveSession({
  platform: browserPlatform(),
  provider: new OfflineProvider(),
  sessionId: "main", // a reload opens the same session
  takeOver: true,
});

session.on("text_delta", (delta) => output.append(delta));
session.on("permission_request", ({ id, tool, args }) => {
  const allow = confirm(`Allow ${tool} ${JSON.stringify(args)}?`);
  void session.resolvePermission(id, { allow });
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send(input.value);
  form.reset();
});

async function send(prompt: string): Promise<void> {
  output.append(`\n> ${prompt}\n`);
  const { error } = await session.submit(prompt);
  if (error) output.append(`${error.code}: ${error.message} ${error.hint ?? ""}`);
}

await session.ready;
for (const { role, content } of session.getMessages())
  if (typeof content === "string" && role !== "tool") output.append(`${role}: ${content}\n`);
