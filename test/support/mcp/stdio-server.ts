// A server that is a process, as people write one. `die` ends it in the middle of a call.
import { spawn } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

console.error(`started with sk-ant-api03-${"a".repeat(95)}`);
if (process.env["ALWAYS_FAILS"]) process.exit(3);

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

serveStdio(() => {
  const server = new McpServer({ name: "process", version: "1.0.0" });
  server.registerTool("pid", { description: "Its process" }, async () => text(`${process.pid}`));
  server.registerTool(
    "variables",
    { description: "Its variables", inputSchema: z.object({ names: z.array(z.string()) }) },
    async ({ names }) => text(names.map((name) => process.env[name] ?? "-").join(" ")),
  );
  server.registerTool("spawn", { description: "Starts another one" }, async () => {
    const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
    return text(`${child.pid}`);
  });
  server.registerTool("die", { description: "Ends it" }, () => process.exit(1));
  return server;
});
