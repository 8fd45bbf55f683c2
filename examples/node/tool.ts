// A tool of your own, with a zod schema: what it does to the world (`access`) decides whether it asks.
import { createZodFunctionTool, InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { z } from "zod";

const stock: Record<string, number> = { apples: 3 };

const order = createZodFunctionTool(
  "Order",
  "Orders goods for the shop",
  z.object({ item: z.string(), count: z.number().int().positive() }),
  async ({ item, count }) => {
    stock[item] = (stock[item] ?? 0) + count;
    return `There are ${stock[item]} ${item} now`;
  },
  { access: "network-write" },
);

// Stands in for a model that calls the tool.
const provider = new ScriptedProvider([
  { toolCalls: [{ name: "Order", args: { item: "apples", count: 4 } }] },
  { text: "Done: 7 apples." },
]);
const session = new InteractiveSession({ platform: memoryPlatform(), provider, tools: [order] });
session.on("permission_request", ({ id, tool, args }) => {
  console.log(`Allowing ${tool}`, args);
  void session.resolvePermission(id, { allow: true, scope: "session" });
});
const { response } = await session.submit("We need four more apples.");
console.log(response, stock);
await session.shutdown();
