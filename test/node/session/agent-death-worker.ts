// Runs as a process of its own, to be killed: `agent-death-worker <directory>`. A session ends its turn while two agents
// work in the background: one has ended by then, the other never does.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";

const [directory = ""] = process.argv.slice(2);
const start = (prompt: string) => ({
  name: "Agent",
  args: { prompt, run_in_background: true },
});
const answer: ScriptedReply = ({ messages }) => {
  const asked = messages.find(({ role }) => role === "user");
  const prompt = contentText(asked?.content ?? "");
  if (prompt === "soon") return { text: "the report" };
  if (prompt === "never") return { delayMs: Infinity };
  return messages.length > 2 ? { text: "started" } : { toolCalls: [start("soon"), start("never")] };
};
const session = new InteractiveSession({
  platform: nodePlatform({ home: directory }),
  cwd: join(directory, "workspace"),
  sessionId: "s",
  provider: new ScriptedProvider(Array.from({ length: 10 }, () => answer)),
});
const ended = new Promise<void>((resolve) => {
  session.on("event", (event) => {
    if (event.type === "agent_end") resolve();
  });
});
await session.submit("go");
await ended;
writeSync(1, "ready\n");
await new Promise((resolve) => setTimeout(resolve, 600_000));
