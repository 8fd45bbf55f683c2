import { visibleText } from "../../../permissions/visible-text.ts";
import type { McpServerStatus } from "../../mcp/mcp-options.ts";
import { builtin, counted, done, refused, sub } from "./result.ts";

export const mcp = builtin("mcp", {
  scope: "read",
  subcommands: [
    sub("authorize", "Authorize this program at a server", {
      argumentHint: "<server>",
      scope: "privilege",
      // It opens a page in front of whoever sits at the session.
      callers: ["person"],
      async execute(_session, args, { servers }) {
        const name = args.trim();
        if (!servers) return refused("There are no MCP servers.");
        await servers.authorize(name);
        return done(`${visibleText(name)} is authorized and connected.`);
      },
    }),
  ],
  async execute(_session, _args, { servers: all }) {
    await all?.connectAll();
    const servers = all?.status() ?? [];
    if (servers.length === 0) return done("There are no MCP servers.", { servers });
    return done(servers.map(described).join("\n"), { servers });
  },
});

function described(server: McpServerStatus): string {
  const { name, place, layer, state, tools, prompts, resources, error, notices } = server;
  const counts = [
    counted(tools.length, "tool"),
    counted(prompts.length, "prompt"),
    counted(resources, "resource"),
  ];
  const lines = [
    `${name}  ${place}  ${state}  (${layer})`,
    ...(state === "connected" ? [`  ${counts.join(", ")}`] : []),
    ...(error === undefined ? [] : [`  ${error}`]),
    ...notices.map((notice) => `  ${notice}`),
  ];
  return lines.map((line) => visibleText(line)).join("\n");
}
