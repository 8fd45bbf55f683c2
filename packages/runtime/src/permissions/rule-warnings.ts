import { isBroad, parsePattern, type PermissionPattern } from "./parse-pattern.ts";
import { type PermissionLists, type RuleKind, rulesOf } from "./permission.ts";
import { isBeyondProof } from "./shell-launchers.ts";
import { wordsOf } from "./shell-match.ts";

/** A rule that does more, or less, than it seems to. */
export interface RuleWarning {
  rule: string;
  kind: RuleKind;
  layer?: string;
  /** For a person: what it does. */
  message: string;
}

const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|npx|bunx|pnpx|make|gmake|just|task|rake|docker|podman|kubectl|cargo|go|uv|poetry|mvn|gradle|composer|deno)$/;
const SCRIPTED = /^(?:npm|pnpm|yarn|bun)$/;

/** Rules that match more than a reader would think, each with what it really does. */
export function permissionWarnings(lists: PermissionLists): RuleWarning[] {
  return (["deny", "ask", "allow"] as const).flatMap((kind) =>
    rulesOf(lists, kind).flatMap(({ rule, layer }) => {
      const pattern = parsePattern(rule);
      const messages = pattern ? messagesFor(pattern, kind) : [];
      return messages.map((message) => ({
        rule,
        kind,
        ...(layer === undefined ? {} : { layer }),
        message,
      }));
    }),
  );
}

function messagesFor(pattern: PermissionPattern, kind: RuleKind): string[] {
  const { tool, argument } = pattern;
  if (kind !== "allow") return forbidding(pattern);
  if (tool === "*") return ["It allows every tool."];
  if (tool === "Bash")
    return argument === undefined || isBroad(pattern)
      ? ["It allows every command."]
      : shell(argument);
  if (tool === "WebFetch" && (isBroad(pattern) || !argument?.startsWith("domain:")))
    return [
      "It allows addresses of any host that the pattern fits; WebFetch(domain:example.com) names one host.",
    ];
  if (
    (tool === "Write" || tool === "Edit") &&
    /^\/\/(?:\*\*)?$|^~\/?(?:\*\*)?$/.test(argument ?? "")
  )
    return ["It allows changes far outside of the workspace."];
  return tool.startsWith("mcp__*") ? ["It allows every tool of every MCP server."] : [];
}

function forbidding({ tool, argument = "" }: PermissionPattern): string[] {
  if (tool !== "Bash" || argument === "") return [];
  if (/[|;&]/.test(argument))
    return [
      "It is compared with single commands, which never hold an operator; write one rule for each command.",
    ];
  return argument.includes("*") || !/\s/.test(argument.trim())
    ? []
    : ["It forbids this very command and nothing with more words; end it with ` *` for those."];
}

function shell(argument: string): string[] {
  const words = wordsOf(argument);
  const [name = "", second = ""] = words;
  const fixed = words.filter((word) => !word.includes("*"));
  if (name.includes("*"))
    return name === "*"
      ? ["It allows every command that can be told from its text."]
      : [
          `It also allows other commands that begin with ${name.replace(/\*.*$/, "")}; write a space before the star.`,
        ];
  if (!argument.includes("*")) return [];
  const messages: string[] = [];
  if (words.slice(0, -1).some((word) => word.includes("*")))
    messages.push(
      "A star before the end stands for any one word, also for an option that runs something.",
    );
  if (words.at(-1) !== "*" && words.at(-1)?.endsWith("*") && words.length > 1)
    messages.push(
      "Its last word is only the beginning of one; write a space before the star for further words.",
    );
  if (isBeyondProof([name, ...fixed.slice(1)]) || /^(?:find|xargs|env|sudo|ssh|eval)$/.test(name))
    messages.push(
      `${name} can run or write what its words say, so calls that may do so still ask.`,
    );
  if (RUNNERS.test(name) && (words.length === 2 || second.includes("*")))
    messages.push(
      SCRIPTED.test(name)
        ? "It runs any script of package.json, so whoever may write that file may run anything."
        : `${name} runs what files of the project say, so whoever may write them may run anything.`,
    );
  else if (SCRIPTED.test(name) && second === "run")
    messages.push("Whoever may write package.json decides what it runs.");
  if (/^(?:curl|wget)$/.test(name))
    messages.push("It reaches any host, with anything in the address.");
  return messages;
}
