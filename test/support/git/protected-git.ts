import {
  bashTool,
  contentText,
  type PermissionMode,
  type PermissionRequest,
  type Platform,
  Session,
} from "@robota/runtime";
import { ScriptedProvider, type ScriptedStep } from "@robota/runtime/testing";
import { servesRepository } from "./served-repository.ts";

const MAX_CALLS = 100;

export interface ProtectedGit {
  platform: Platform;
  cwd: string;
  lines: readonly string[];
  mode?: PermissionMode;
  deny?: readonly string[];
  /** The answer to each request; allowed by a person by default. */
  answer?: boolean;
  /** The answer of a hook, which comes first. */
  hookAllows?: boolean;
}

/** Runs lines of Bash, each a call of its own, and resolves to what the model and the person were told. */
export async function protectedGit(given: ProtectedGit): Promise<{
  told: string[];
  requests: PermissionRequest[];
}> {
  const { platform, cwd, lines, mode = "default", deny = [], answer = true, hookAllows } = given;
  const requests: PermissionRequest[] = [];
  const late = new Set<string>();
  const left = [...lines];
  let [line, calls] = ["", 0];
  /** The next line, or the last one again when a busy machine did not end its dry run in time. */
  const next = (): ScriptedStep => {
    const given = late.has(`call-${calls}`) ? line : left.shift();
    if (given === undefined) return { text: "done" };
    line = given;
    calls += 1;
    return { toolCalls: [{ id: `call-${calls}`, name: "Bash", args: { command: line } }] };
  };
  const session = new Session({
    platform,
    cwd,
    tools: [bashTool],
    provider: new ScriptedProvider(Array.from({ length: MAX_CALLS }, () => next)),
    permissionMode: mode,
    permissions: { deny },
    permissionHandler: (_tool, _args, request) => {
      if (request.preview?.note?.includes("too long for a dry run")) {
        late.add(request.toolCallId);
        return false;
      }
      requests.push(request);
      return answer;
    },
    ...(hookAllows && {
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              {
                type: "function",
                run: () => ({
                  hookSpecificOutput: {
                    hookEventName: "PermissionRequest",
                    decision: { behavior: "allow" },
                  },
                }),
              },
            ],
          },
        ],
      },
    }),
  });
  await session.run("go");
  await session.shutdown();
  const told = session.getHistory().flatMap((message) => {
    const isAnswer = message.role === "tool" && !late.has(message.toolCallId);
    return isAnswer ? [contentText(message.content)] : [];
  });
  return { told, requests };
}

/** A repository whose branch `ci` adds an ordinary file and two protected ones. */
export const WITH_BRANCH =
  "git init -q && git config user.name Ann && git config user.email ann@example.com && " +
  "echo one > a && git add a && git commit -qm first && git checkout -qb ci && " +
  "mkdir -p .github/workflows .vscode && echo 'on: push' > .github/workflows/ci.yml && " +
  "echo '{}' > .vscode/tasks.json && echo two > b && git add . && git commit -qm second && git checkout -q main";

export const PROTECTED = [".github/workflows/ci.yml", ".vscode/tasks.json"];

/** Network options of a shell whose `git` reaches a server with one repository. */
export const SERVED = { git: { fetch: servesRepository } };
