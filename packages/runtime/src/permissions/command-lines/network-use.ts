import { commandName } from "./shell-launchers.ts";
import { possibleCommands } from "./shell-reader.ts";

/** Programs that talk to other machines. */
const NETWORK =
  /^(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|dig|nslookup|host|ping|aws|gcloud|az|gh|gsutil|https?|xh|openssl|mail|sendmail)$/;
const NETWORK_SUBCOMMAND =
  /^(?:git (?:push|fetch|pull|clone|ls-remote|remote)|(?:npm|pnpm|yarn|cargo|docker|podman|twine|gem) (?:publish|push|login))$/;
/** Programs that mostly bring something here. */
const FETCHING =
  /^(?:aria2c|lynx|links|elinks|w3m|lftp|yt-dlp|whois|drill|svn|hg|kubectl|helm|rclone|s3cmd|npx|pnpx|bunx|uvx|pipx|apt|apt-get|dnf|yum|apk|pacman|brew|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)$/;
const FETCHING_SUBCOMMAND =
  /^(?:git submodule|(?:npm|pnpm|yarn|bun) (?:install|i|ci|add|update|upgrade|view|info|show|search|audit|outdated|create|init|dlx|exec|x)|(?:pip3?|uv|poetry|conda|mamba|gem|bundle|composer) (?:install|add|download|update|search|sync|pip)|go (?:get|install|mod)|cargo (?:install|add|fetch|update|search)|(?:docker|podman) (?:pull|run|build|search))$/;
/** Programs to which an address is a text, unless they are told to fetch. */
const QUOTING = /^(?:echo|printf|git|grep|rg|sed|awk|cat|head|tail|ls|cd|test|\[|export|true)$/;
const ADDRESS = /\b(?:https?|ftps?|wss?|ssh|git):\/\/|\/dev\/(?:tcp|udp)\//i;

/** Options before a subcommand that take the next word as their value. */
const VALUED = /^(?:-[cC]|--(?:prefix|git-dir|work-tree|namespace|cwd|dir|config|context))$/;

/** Recognizes a command that could send something to another machine. */
export function reachesNetwork(words: readonly string[]): boolean {
  const name = commandName(words[0] ?? "");
  return NETWORK.test(name) || NETWORK_SUBCOMMAND.test(`${name} ${subcommandOf(words)}`);
}

/**
 * Reports whether a line of a native shell may print content from the network: one of its commands fetches, or is given
 * an address. Programs that fetch without saying so are not recognized.
 */
export function mayFetch(line: string): boolean {
  const { commands, redirects, isComplete } = possibleCommands(line);
  return (
    !isComplete ||
    redirects.some(({ target }) => ADDRESS.test(target)) ||
    commands.some((words) => reachesNetwork(words) || fetches(words))
  );
}

function fetches(words: readonly string[]): boolean {
  const name = commandName(words[0] ?? "");
  if (FETCHING.test(name) || FETCHING_SUBCOMMAND.test(`${name} ${subcommandOf(words)}`))
    return true;
  return !QUOTING.test(name) && words.some((word) => ADDRESS.test(word));
}

function subcommandOf([, ...args]: readonly string[]): string {
  let at = 0;
  while (args[at]?.startsWith("-")) at += VALUED.test(args[at] ?? "") ? 2 : 1;
  return args[at] ?? "";
}
