/** Commands worth mentioning to a model, by use. The test of the description asks real shells for each. */
const MENTIONED: Readonly<Record<string, readonly string[]>> = {
  "text and files": ["grep", "sed", "awk", "jq", "sort", "cut", "find", "xargs", "diff", "patch"],
  archives: ["tar", "gzip", "zip", "unzip"],
  "numbers and bytes": ["bc", "sha256sum", "xxd"],
  "JavaScript and TypeScript": ["js", "node"],
};

/** The facts of a shell that its description depends on. */
export interface DescribedShell {
  /** The network access of `curl`; without it there is no `curl`. */
  fetch?: unknown;
  git?: { fetch?: unknown } | undefined;
}

/** Describes a virtual shell to a model. `added`: names of commands in addition to those of every virtual shell. */
export function describeShell(
  { fetch, git }: DescribedShell,
  added: readonly string[] = [],
): string {
  const programs = [
    ...Object.entries(MENTIONED).map(([use, names]) => `${use} (${names.join(", ")})`),
    git?.fetch ? "git, also over the network" : "git, without a network",
    ...(fetch ? ["curl"] : []),
    ...added,
  ];
  return [
    `The shell is a virtual bash over the session's files. Its programs: ${programs.join("; ")}; and other standard ones.`,
    "It can't start the host's programs: there are no compilers and no package managers, and nothing runs on after a command.",
  ].join(" ");
}
