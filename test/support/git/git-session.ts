import { InteractiveSession, type PermissionMode, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

export interface GitSession {
  platform: Platform;
  cwd: string;
  lines: readonly string[];
  mode: PermissionMode;
  deny?: readonly string[];
}

const WHO = 'git config user.name Ann; git config user.email "ann@example.com"';

/** Runs lines of Bash in a session, each of them allowed, and resolves to what the model is told of each. */
export async function gitSession(given: GitSession): Promise<string[]> {
  const { platform, cwd, lines, mode, deny = [] } = given;
  const session = new InteractiveSession({
    platform,
    cwd,
    provider: new ScriptedProvider([
      ...lines.map((command, index) => ({
        toolCalls: [{ id: `call-${index}`, name: "Bash", args: { command } }],
      })),
      { text: "done" },
    ]),
    permissionMode: mode,
    permissions: { deny },
  });
  session.on("permission_request", ({ id }) => void session.resolvePermission(id, { allow: true }));
  await session.submit("go");
  const outputs = session.getMessages().flatMap((message) => {
    return message.role === "tool" ? [JSON.stringify(message.content)] : [];
  });
  await session.shutdown();
  return outputs;
}

/** Makes a repository, two commits and a branch, and merges it; ends with its log. */
export const COMMITS: readonly string[] = [
  `git init -q && ${WHO} && echo one > a && git add a && git commit -qm first`,
  "git checkout -qb more && echo two > b && git add . && git commit -qm second",
  "git checkout -q main && git merge -q more && git branch -d more",
  "git log --format=%s && git status --short && git reflog | wc -l",
];
