// Subagents: the model hands parts of the work to agents, which run side by side in sessions of their own.
import { contentText, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";

const agent = (prompt: string) => ({
  name: "Agent",
  args: { subagent_type: "Explore", description: prompt, prompt },
});
// Answers of the session and of its agents, by what each is asked.
const provider = new ScriptedProvider(
  Array.from({ length: 4 }, () => ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: "Both parts are reviewed." };
    if (last?.content === "Review the change.")
      return { toolCalls: [agent("Review the API"), agent("Review the tests")] };
    return { text: `${contentText(last?.content ?? "")}: looks good.` };
  }),
);

const session = new InteractiveSession({ platform: memoryPlatform(), provider });
session.on("event", (event) => {
  if (event.type === "agent_start") console.log(`→ ${event.agent}: ${event.prompt}`);
  if (event.type === "agent_end") console.log(`← ${event.state}: ${event.response}`);
});
const { response } = await session.submit("Review the change.");
console.log(response);
await session.shutdown();
