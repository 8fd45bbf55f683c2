import {
  type EnvironmentProvider,
  environmentProviders,
} from "@robota/runtime/providers/environment";
import { type CliOption, OPTIONS } from "./options.ts";
import { VARIABLES } from "./session-choices.ts";

/** The commands with what they do; as the help lists them. */
const USAGES: readonly (readonly [usage: string, about: string])[] = [
  ["robota [<prompt>]", "Converse at the terminal; a prompt of several words begins it"],
  [
    "robota -p <prompt>",
    'Run one turn and print the answer ("-" reads the prompt from standard input)',
  ],
  ["<command> | robota -p <prompt>", "The same, with the command's output appended to the prompt"],
  ["robota sessions [list]", "List the stored sessions, newest first"],
  ["robota sessions show <id>", "Print a stored session; a unique prefix of the id is enough"],
  ["robota sessions rename <id> <name>", "Give a session another name"],
  ["robota sessions delete <id>", "Delete a session with all that belongs to it"],
  ["robota sessions export <id>", "Write a session as lines of JSON, without secrets"],
  ["robota sessions import <file>", 'Make a session of such lines ("-" reads standard input)'],
  ["robota sessions replay <id>", "Run a session again without a model, and compare"],
  ["robota sessions rewind <id> [<n>]", "List the turns, or go back to before one of them"],
  [
    "robota sessions move <id> --to <url>",
    "Continue a session on a server; the token (scope admin) is in ROBOTA_TOKEN",
  ],
  [
    "robota sessions move <id> --from <url>",
    "Bring a session back from a server; with the files that it changed",
  ],
  ["robota mcp", "Serve a session to an MCP client on standard input and output"],
  ["robota acp", "Serve an editor that speaks the Agent Client Protocol, likewise"],
  [
    "robota serve",
    "Serve sessions over HTTP, for --remote and others; the token is in ROBOTA_TOKEN, or made and printed",
  ],
  ["robota playground", "Serve the playground, whose sessions run in a tab of your browser"],
  ["robota doctor", "Check what works here: Node, keys, storage, shell, git, services of models"],
  [
    "robota init",
    "Write AGENTS.md and .robota/settings.json for the project, where they are missing",
  ],
  ["robota completion bash|zsh|fish", "Print a script that completes commands and options"],
];

/** The text of `robota --help`. */
export function helpText(): string {
  const options = Object.entries<CliOption>(OPTIONS);
  return `Usage:
${USAGES.map(([usage, about]) => `  ${usage.padEnd(38)} ${about}`).join("\n")}

Options:
${options.map(([name, option]) => describeOption(name, option)).join("\n")}

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 approval required, 130 interrupted.
Environment: NO_COLOR; ${Object.values(VARIABLES).join(", ")} as defaults of the options;
for each provider its key, and optionally its base URL and its model:
${environmentProviders.map(describeProvider).join("\n")}
Settings: .robota/settings.local.json and .robota/settings.json of the project, ~/.robota/settings.json.
`;
}

function describeOption(name: string, { short, value, about }: CliOption): string {
  const flag = `${short === undefined ? "   " : `-${short},`} --${name}`;
  return `  ${(value === undefined ? flag : `${flag} <${value}>`).padEnd(34)} ${about}`;
}

function describeProvider({ name, keys, address, model }: EnvironmentProvider): string {
  return `  ${name.padEnd(12)}${[keys.join(" or ") || "no key", address, model].join(", ")}`;
}
