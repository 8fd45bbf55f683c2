import { createInterface } from "node:readline/promises";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession, type PermissionRequest } from "@robota/runtime";
import { providerFromEnvironment } from "@robota/runtime/providers/environment";

const platform = nodePlatform();
// The model whose key is set, such as ANTHROPIC_API_KEY; without any, a script that needs none.
const { provider, note } = await providerFromEnvironment(platform);
const session = new InteractiveSession({ platform, provider });
const terminal = createInterface({ input: process.stdin, output: process.stdout });

session.on("text_delta", (delta) => process.stdout.write(delta));
session.on("permission_request", (request) => void answer(request));

// Ctrl-D and the end of the input end the conversation; Ctrl-C also stops what is running.
const ending = new AbortController();
terminal.once("close", () => ending.abort());
terminal.on("SIGINT", () => {
  session.abort();
  terminal.close();
});

/** Returns the answer; an empty text at the end of the input. */
async function ask(question: string): Promise<string> {
  return terminal.question(question, { signal: ending.signal }).catch(() => "");
}

async function answer({ id, tool, args }: PermissionRequest): Promise<void> {
  const words = await ask(`\nAllow ${tool} ${JSON.stringify(args)}? (y/N) `);
  const allow = words.trim().toLowerCase() === "y";
  // Ctrl-C has withdrawn the question.
  await session.resolvePermission(id, { allow }).catch(() => undefined);
}

console.log(`${note}\nAn empty line ends the conversation.`);
for (;;) {
  const prompt = await ask("\n> ");
  if (prompt.trim() === "") break;
  const { error } = await session.submit(prompt);
  if (error) console.error(`\n${error.code}: ${error.message} ${error.hint ?? ""}`);
}
terminal.close();
await session.shutdown();
await platform.dispose();
