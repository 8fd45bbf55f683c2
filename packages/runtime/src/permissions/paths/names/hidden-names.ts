import { isPatternFor } from "../../command-lines/shell-match.ts";

/** Names of protected and of secret files and directories that are hidden: what a pattern in a shell line may find. */
const HIDDEN: readonly string[] = (
  ".robota .claude .claude.json .mcp.json .git .github .gitconfig .gitmodules .gitlab .circleci .husky .vscode .idea " +
  ".bashrc .bash_profile .profile .zshrc .zshenv .envrc .npmrc .yarnrc.yml .pypirc .ssh .gnupg .env .env.local " +
  ".env.production .dev.vars .netrc .git-credentials .pgpass .htpasswd .vault-token .bash_history .zsh_history"
).split(" ");
/** Names below them that make a path protected. */
const BELOW: readonly string[] = ["workflows", "actions", "ci"];
/** A path with more patterns than this may be any of them. */
const MAX_PATTERNS = 8;

/**
 * The paths with known hidden names that a path with patterns may stand for: `/.git/hooks` among others for `/.g*` and
 * `hooks`. A shell finds hidden names only by patterns that begin with the dot.
 */
export function hiddenForms(path: string): string[] {
  const segments = path.split("/");
  const places = [...segments.keys()].filter((at) => /^\..*[*?[]/s.test(segments[at] ?? ""));
  if (places.length > MAX_PATTERNS) return HIDDEN.map((name) => `/${name}`);
  return places.flatMap((at) =>
    HIDDEN.filter((name) => isPatternFor(segments[at] ?? "", name)).flatMap((name) => {
      const found = segments.with(at, name);
      const below = /[*?[]/.test(segments[at + 1] ?? "") ? BELOW : [];
      return [found, ...below.map((next) => found.with(at + 1, next))].map((all) => all.join("/"));
    }),
  );
}
