/**
 * A name as the most forgiving of file systems would compare it: one form of Unicode, no case, nothing that can't be
 * seen, no trailing dots and spaces, no stream behind a colon. For protecting names, never for finding files.
 */
export function foldName(name: string): string {
  return foldLetters(name)
    .replace(/(?<=[^:]):.*$/s, "")
    .replace(/(?<=[^. ])[. ]+$/, "");
}

/** A part of a name with its letters in that form: its end may be in the middle of the name. */
export function foldLetters(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  // Lower, upper, lower: so that `ß` and `ss`, or the long and the round s, become one.
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

function foldPath(path: string): string {
  return path.split("/").map(foldName).join("/");
}

/** Files that tell programs what to run, by what stands behind their last `/` or anywhere as a directory. */
const PROTECTED: readonly (readonly [RegExp, string])[] = [
  [/\/(?:\.robota|robota~\d+)(?:\/|$)/, "the agent's own settings"],
  [/\/(?:\.claude|claude~\d+)(?:\/|$)|\/\.mcp\.json$/, "an agent's settings"],
  [
    /\/(?:\.git|git~\d+)(?:\/|$)/,
    "the inside of a Git repository, where hooks and settings run commands",
  ],
  [
    /\/(?:\.gitconfig|\.gitmodules)$|\/\.config\/git(?:\/|$)/,
    "settings of Git, which can run commands",
  ],
  [
    /\/\.(?:husky|githooks)(?:\/|$)|\/(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.ya?ml)$/,
    "hooks of Git",
  ],
  [
    /\/\.github\/(?:workflows|actions)(?:\/|$)|\/\.(?:circleci|buildkite|woodpecker|forgejo|gitea)(?:\/|$)|\/(?:\.gitlab-ci|\.travis|\.?appveyor|\.drone|\.cirrus|\.woodpecker|azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec)\.ya?ml$|\/jenkinsfile$/,
    "what continuous integration runs",
  ],
  [
    /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|envrc|xprofile|xinitrc|xsessionrc|vimrc|exrc|gvimrc|emacs|tmux\.conf|screenrc|lesskey|wgetrc|curlrc)$|\/\.config\/(?:fish|nvim|systemd|autostart|environment\.d)(?:\/|$)|\/\.vim(?:\/|$)/,
    "a start-up file that runs commands",
  ],
  [
    /\/\.(?:vscode|idea|zed|fleet|devcontainer)(?:\/|$)|\.code-workspace$/,
    "settings of an editor, which can run commands",
  ],
  [
    /\/(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmrc|\.?pnpmfile\.[cm]?js|\.?bunfig\.toml|\.pypirc|pip\.conf|\.condarc|\.gemrc|\.bazelrc|\.rustup)$|\/\.yarn\/(?:releases|plugins)(?:\/|$)|\/\.bundle\/config$|\/\.cargo\/(?:config(?:\.toml)?|bin\/.*)$|\/\.mvn\/(?:jvm\.config|extensions\.xml|wrapper\/.*)$/,
    "settings of a package manager, which can run commands",
  ],
  [/\/\.(?:ssh|gnupg)(?:\/|$)|\/authorized_keys$/, "keys"],
  [
    /\/library\/launch(?:agents|daemons)\/|^\/etc\/(?:cron[^/]*|profile[^/]*|ld\.so\.[^/]*|sudoers[^/]*|pam\.d|systemd|init\.d|hosts|passwd|shadow)(?:\/|$)|^\/var\/spool\/cron(?:\/|$)/,
    "what the machine runs by itself",
  ],
];

const SECRET =
  /\/\.env(?:rc)?(?:\.(?!(?:example|sample|template|dist|defaults|schema)$)[^/]*)?$|\/\.(?:ssh|gnupg|password-store)(?:\/|$)|\/id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\/\.(?:aws\/(?:credentials|config|sso|cli)|azure|config\/gcloud|kube\/config|docker\/config\.json|config\/gh\/hosts\.yml|cargo\/credentials(?:\.toml)?|gem\/credentials|m2\/settings\.xml|oci\/config)(?:\/|$)|\/(?:\.npmrc|\.yarnrc\.yml|\.pypirc|[._]netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.htpasswd|\.vault-token|\.terraformrc|\.credentials\.json|\.credentials|\.boto|\.s3cfg|\.dockercfg|\.rclone\.conf|rclone\.conf|credentials\.tfrc\.json)$|\/(?:\.(?:bash|zsh|python|node_repl|psql|mysql|sqlite)_history)$|\.(?:pem|p12|pfx|ppk|jks|keystore|kdbx?|keychain(?:-db)?|tfstate(?:\.backup)?|asc|gpg|ovpn)$|(?<!\.pub)\.key$|\/library\/keychains\/|\/(?:login data|cookies\.sqlite|key[34]\.db|logins\.json)$|^\/etc\/(?:g?shadow|sudoers)|^\/proc\/[^/]+\/(?:environ|mem|cmdline|maps|auxv)$|^\/run\/secrets\//;

/** What a file is that no rule and no mode may let an agent write unseen, in words; `undefined` for any other. */
export function protectedName(path: string): string | undefined {
  const folded = foldPath(path);
  return PROTECTED.find(([pattern]) => pattern.test(folded))?.[1];
}

/** Whether a file is of a kind that holds keys or passwords, by its name. */
export function isSecretName(path: string): boolean {
  return SECRET.test(foldPath(path));
}

/** Why a text is no path that is looked at: what other systems would read into it. `undefined` for a plain one. */
export function unusablePath(path: string): string | undefined {
  if (path === "") return "The path is empty.";
  if (hasControl(path)) return "The path holds control characters.";
  if (/^\\|^[A-Za-z]:|^\/\/[?.]\/|^(?:file|https?):\/\//i.test(path))
    return "The path is written for another system; write an absolute path that begins with /, or a relative one.";
  if (/:[^/:]*:\$[A-Za-z_]+$|::\$/i.test(path)) return "The path names a stream of a file.";
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(path))
    return "The path holds half a character.";
  return path.length > 4096 ? "The path is too long." : undefined;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}
