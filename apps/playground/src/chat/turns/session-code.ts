import type { TurnView } from "@robota/react/store";
import { WORKSPACE_ROOT } from "../../constants.ts";

/** The program that runs this turn, as Markdown. */
export function sessionCode({ prompt }: TurnView): string {
  // A card's title stands before its commands.
  const commands = prompt.slice(prompt.indexOf("\n\n") + 2);
  return `\`\`\`ts
import { browserPlatform } from "@robota/adapters-web";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";

const session = new InteractiveSession({
  platform: browserPlatform(),
  provider: new OfflineProvider(),
  cwd: ${JSON.stringify(WORKSPACE_ROOT)},
  permissionHandler: (tool, args) => confirm(\`\${tool} \${JSON.stringify(args)}\`),
});
const { response } = await session.submit(${JSON.stringify(commands)});
\`\`\``;
}
