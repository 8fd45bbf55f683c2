import type { ShellName } from "./arguments/commands.ts";
import { SHELLS } from "./arguments/commands.ts";
import { type CliOption, OPTIONS } from "./arguments/options.ts";

/** The commands, and the words that each takes next. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  sessions: ["list", "show", "rename", "delete", "export", "import", "replay", "rewind", "move"],
  mcp: [],
  acp: [],
  serve: [],
  playground: [],
  doctor: [],
  init: [],
  completion: SHELLS,
};

/** A script that completes `robota` in a shell, made of the very options that are parsed. */
export function completionScript(shell: ShellName): string {
  return { bash, zsh, fish }[shell]();
}

const options = (): [name: string, option: CliOption][] => Object.entries<CliOption>(OPTIONS);
const flags = (): string[] =>
  options().flatMap(([name, { short }]) => (short ? [`--${name}`, `-${short}`] : [`--${name}`]));

/** Lines of a `case` over the word before the cursor: `choose` completes from words, `files` from paths. */
function valueCases(choose: (words: readonly string[]) => string, path: Record<string, string>) {
  return options().flatMap(([name, { type, short, values, completes }]) => {
    if (type === "boolean") return [];
    const pattern = short ? `--${name}|-${short}` : `--${name}`;
    const action = values ? choose(values) : completes ? (path[completes] ?? ":") : ":";
    return [`    ${pattern}) ${action}; return ;;`];
  });
}

function bash(): string {
  const choose = (words: readonly string[]): string =>
    `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word"))`;
  const path = {
    file: 'COMPREPLY=($(compgen -f -- "$word"))',
    directory: 'COMPREPLY=($(compgen -d -- "$word"))',
  };
  const nouns = Object.entries(COMMANDS).filter(([, words]) => words.length > 0);
  return `# robota completion bash >> ~/.bashrc
_robota() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case "$before" in
${valueCases(choose, path).join("\n")}
${nouns.map(([noun, words]) => `    ${noun}) ${choose(words)}; return ;;`).join("\n")}
  esac
  if [[ $word == -* ]]; then ${choose(flags())}
  elif ((COMP_CWORD == 1)); then ${choose(Object.keys(COMMANDS))}
  fi
}
complete -o default -F _robota robota
`;
}

function zsh(): string {
  const choose = (words: readonly string[]): string => `compadd -- ${words.join(" ")}`;
  const path = { file: "_files", directory: "_files -/" };
  const nouns = Object.entries(COMMANDS).filter(([, words]) => words.length > 0);
  return `#compdef robota
# robota completion zsh > "\${fpath[1]}/_robota"
_robota() {
  local word=\${words[CURRENT]} before=\${words[CURRENT-1]}
  case "$before" in
${valueCases(choose, path).join("\n")}
${nouns.map(([noun, words]) => `    ${noun}) ${choose(words)}; return ;;`).join("\n")}
  esac
  if [[ $word == -* ]]; then ${choose(flags())}
  elif ((CURRENT == 2)); then ${choose(Object.keys(COMMANDS))}
  else _files
  fi
}
compdef _robota robota
`;
}

function fish(): string {
  const quote = (text: string): string => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`;
  const ofOptions = options().map(([name, { type, short, values, completes, about }]) => {
    const words = [
      "complete -c robota",
      `-l ${name}`,
      short ? `-s ${short}` : "",
      type === "string" ? "-r" : "",
      values ? `-f -a ${quote(values.join(" "))}` : "",
      type === "string" && !values && completes === undefined ? "-f" : "",
      `-d ${quote(about)}`,
    ];
    return words.filter((word) => word !== "").join(" ");
  });
  const ofCommands = Object.entries(COMMANDS).flatMap(([noun, words]) => [
    `complete -c robota -f -n __fish_use_subcommand -a ${noun}`,
    ...(words.length === 0
      ? []
      : [
          `complete -c robota -f -n ${quote(`__fish_seen_subcommand_from ${noun}`)} -a ${quote(words.join(" "))}`,
        ]),
  ]);
  return `# robota completion fish > ~/.config/fish/completions/robota.fish
${[...ofCommands, ...ofOptions].join("\n")}
`;
}
