import { isBroad, parsePattern, type PermissionPattern } from "./parse-pattern.ts";
import { type PermissionLists, type RuleKind, rulesOf } from "../permission.ts";
import { isBeyondProof } from "../command-lines/shell-launchers.ts";
import { wordsOf } from "../command-lines/shell-match.ts";
import { builtInMeant } from "./tool-names.ts";

/** A rule that does more, or less, than it seems to. */
export interface RuleWarning {
  rule: string;
  kind: RuleKind;
  layer?: string | undefined;
  /** Its real effect, for a person. */
  message: string;
}

const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|rake|docker|podman|kubectl|cargo|go|uv|poetry|mvn|gradle|composer|deno)$/;
/** Subcommands, and programs, that run any program which is named behind them, also one that has to be fetched first. */
const HANDED_OVER: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x", "init", "create"],
  pnpm: ["exec", "dlx", "create"],
  yarn: ["exec", "dlx", "create"],
  bun: ["x", "create"],
  docker: ["run", "exec", "compose"],
  podman: ["run", "exec", "compose"],
  kubectl: ["exec", "run", "debug"],
  uv: ["run", "tool"],
  poetry: ["run"],
  pipenv: ["run"],
  bundle: ["exec"],
  go: ["run"],
  cargo: ["run", "install"],
  deno: ["run", "task", "eval"],
};
const LAUNCHERS = /^(?:npx|bunx|pnpx|uvx|pipx)$/;
const SCRIPTED = /^(?:npm|pnpm|yarn|bun)$/;

/** Rules that match more than a reader would think, each with its real effect. */
export function permissionWarnings(lists: PermissionLists): RuleWarning[] {
  return (["deny", "ask", "allow"] as const).flatMap((kind) =>
    rulesOf(lists, kind).flatMap(({ rule, layer }) => {
      const pattern = parsePattern(rule);
      const messages = pattern ? [...misnamed(pattern), ...messagesFor(pattern, kind)] : [];
      return messages.map((message) => ({
        rule,
        kind,
        layer,
        message,
      }));
    }),
  );
}

/** Rules that no call can ever fit. */
function misnamed({ tool, argument = "" }: PermissionPattern): string[] {
  const meant = builtInMeant(tool);
  if (meant !== undefined)
    return [`It matches no call unless a tool is named ${tool}; the built-in one is ${meant}.`];
  if (!tool.includes("*") && !/^[\w-]{1,128}$/.test(tool))
    return ["It fits no call: no tool can have that name."];
  if (tool === "Bash" && /["'].*\s.*["']/s.test(argument) && argument.includes("*"))
    return [
      "It is compared word by word, so a text in quotes fits nothing; put a star in its place.",
    ];
  const isAddress = tool === "WebFetch" && argument !== "" && !argument.startsWith("*");
  if (isAddress && !/^(?:domain:[^/\s]+$|[a-z]+:\/\/|h\*|https?\*)/i.test(argument))
    return [
      "It is compared with whole addresses, and fits none; WebFetch(domain:example.com) names a host.",
    ];
  return [];
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

function forbidding(pattern: PermissionPattern): string[] {
  const { tool, argument = "" } = pattern;
  if ((tool === "Glob" || tool === "Grep") && !isBroad(pattern))
    return [
      `It applies to the directory where a search starts; a search from a parent still finds these files. Read(${argument}) hides them, too.`,
    ];
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
      ? ["It allows every command whose text shows what it runs."]
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
      `${name} can run or write other files by its arguments, so such calls still ask.`,
    );
  messages.push(...handedOver(words));
  if (RUNNERS.test(name) && (words.length === 2 || second.includes("*")))
    messages.push(
      SCRIPTED.test(name)
        ? "It runs any script of package.json, so write access to that file means running anything."
        : `${name} runs code from the project's files, so write access to them means running anything.`,
    );
  else if (SCRIPTED.test(name) && second === "run")
    messages.push("Write access to package.json decides what it runs.");
  if (/^(?:curl|wget)$/.test(name))
    messages.push("It reaches any host, with anything in the address.");
  return messages;
}

/** Programs that a rule allows indirectly, without naming them. */
function handedOver(words: readonly string[]): string[] {
  const [name = "", second = ""] = words;
  if (words.at(-1) !== "*") return [];
  if (LAUNCHERS.test(name) && words.length === 2)
    return [`It hands over: ${name} fetches and runs any program that is named behind it.`];
  const subcommands = Object.hasOwn(HANDED_OVER, name) ? (HANDED_OVER[name] ?? []) : [];
  if (words.length === 3 && subcommands.includes(second))
    return [`It hands over: ${name} ${second} runs any program that is named behind it.`];
  return words.length === 2 && subcommands.length > 0
    ? [`It hands over: ${name} also runs any program behind ${subcommands.join(", ")}.`]
    : [];
}
