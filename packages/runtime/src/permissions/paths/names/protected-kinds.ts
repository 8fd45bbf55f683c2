/**
 * Files that configure the programs to run: a pattern for the end of a folded path, or for a directory in it, with a
 * description for a person. Grouped by program. Collected from the documentation of these programs, from GitHub's
 * `gitignore` templates, and from the lists that other agents protect.
 */
export const PROTECTED_KINDS: readonly (readonly [RegExp, string])[] = [
  [/\/(?:\.robota|robota~\d+)(?:\/|$)/, "the agent's own settings"],
  [
    /\/(?:\.claude|claude~\d+)(?:\/|$)|\/\.claude\.json$|\/\.mcp\.json$|\/\.(?:cursor|codex|gemini|qwen|windsurf|codeium|continue|roo|cline|clinerules|kiro|kilocode|amazonq|opencode|junie|goose|augment|copilot)(?:\/|$)|\/\.aider\.conf\.ya?ml$|\/\.config\/(?:opencode|goose|github-copilot)(?:\/|$)|\/opencode\.jsonc?$/,
    "an agent's settings",
  ],
  [
    /\/(?:\.git|git~\d+)(?:\/|$)/,
    "the inside of a Git repository, where hooks and settings run commands",
  ],
  [
    /\/(?:\.gitconfig|\.gitmodules)$|\/\.config\/git(?:\/|$)/,
    "settings of Git, which can run commands",
  ],
  [
    /\/\.(?:hg|jj|bzr)(?:\/|$)|\/(?:\.hgrc|mercurial\.ini|\.hgsub)$|\/\.config\/(?:hg|jj)(?:\/|$)|\/\.subversion\/config$/,
    "settings of version control, which can run commands",
  ],
  [
    /\/\.(?:husky|githooks)(?:\/|$)|\/(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml|\.simple-git-hooks\.[cm]?js(?:on)?)$/,
    "hooks of Git",
  ],
  [
    /\/\.github\/(?:workflows|actions)(?:\/|$)|\/\.gitlab\/(?:.*\/)?ci(?:\/|$)|\/\.(?:circleci|buildkite|woodpecker|forgejo|gitea|azure-pipelines|azuredevops|pipelines|teamcity|semaphore|tekton|builds|harness|zuul\.d)(?:\/|$)|\/(?:\.gitlab-ci[^/]*|\.travis|\.?appveyor|\.drone|\.cirrus|\.woodpecker|\.build|\.zuul|\.taskcluster|azure-pipelines[^/]*|bitbucket-pipelines|cloudbuild|buildspec|codefresh|codemagic|bitrise|wercker|atlantis)\.ya?ml$|\/(?:\.drone|\.cirrus)\.(?:star|jsonnet)$|\/jenkinsfile(?:\.[^/]*)?$/,
    "a configuration of continuous integration",
  ],
  [
    /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|envrc|xprofile|xinitrc|xsession|xsessionrc|xonshrc|pam_environment|tmux\.conf|screenrc|lesskey|wgetrc|curlrc|wezterm\.lua)$|\/\.(?:bashrc|bash|zsh|zshrc|profile)\.d(?:\/|$)|\/\.(?:oh-my-zsh|oh-my-bash|zsh|zinit|elvish|tmux)(?:\/|$)|\/\.config\/(?:fish|nushell|powershell|xonsh|elvish|bash|zsh|systemd|autostart|environment\.d|tmux|wezterm|kitty|sway|i3|hypr|awesome|bspwm|sxhkd)(?:\/|$)|\/library\/application support\/nushell(?:\/|$)|\/\.local\/bin(?:\/|$)|\/\.local\/share\/(?:applications|dbus-1|systemd)(?:\/|$)|profile\.ps1$/,
    "a start-up file or a program that a shell finds by its name",
  ],
  [
    /\/[._](?:vimrc|gvimrc|exrc|nvimrc|lvimrc)$|\/\.(?:emacs|spacemacs|dir-locals\.el|local\.vimrc|gdbinit|lldbinit|pdbrc|pythonrc|irbrc|pryrc|rprofile|renviron|ghci|ocamlinit|iex\.exs|octaverc|psqlrc|sqliterc|mongorc\.js|ackrc)$|\/\.(?:vim|emacs\.d|doom\.d|spacemacs\.d|ipython|jupyter|helix)(?:\/|$)|\/\.config\/(?:nvim|emacs|doom|helix|zed|code|kak|micro|sublime-text|ipython)(?:\/|$)|\/\.julia\/config(?:\/|$)/,
    "a start-up file that runs commands",
  ],
  [
    /\/\.(?:vscode|vscode-server|vs|idea|zed|fleet|nova|devcontainer)(?:\/|$)|\/\.?devcontainer\.json$|\.(?:code-workspace|sublime-project)$/,
    "settings of an editor, which can run commands",
  ],
  [
    /\/(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmrc|\.?pnpmfile\.[cm]?js|\.pnp\.[cm]?js|\.pnp\.loader\.mjs|\.?bunfig\.toml|\.pypirc|pip\.(?:conf|ini)|\.condarc|\.gemrc|\.bazelrc|\.bazeliskrc|\.buckconfig|\.pantsrc|\.rustup|rust-toolchain(?:\.toml)?|\.tool-versions|\.asdfrc|\.?mise(?:\.[^/]*)?\.toml|\.rtx\.toml|nuget\.config|\.ansible\.cfg|ansible\.cfg|\.terraformrc)$|\/\.yarn\/(?:releases|plugins|sdks)(?:\/|$)|\/\.bundle\/config$|\/\.cargo\/(?:config(?:\.toml)?|env|bin\/.*)$|\/\.mvn\/(?:jvm\.config|maven\.config|extensions\.xml|wrapper\/.*)$|\/\.m2\/(?:settings|extensions)[^/]*\.xml$|\/gradle\/wrapper\/[^/]*$|\/\.gradle\/(?:init\.gradle(?:\.kts)?|init\.d\/.*|gradle\.properties)$|\/\.(?:sbt|lein|clojure|mix|conan2?)(?:\/|$)|\/\.config\/(?:npm|yarn|pnpm|pip|uv|pypoetry|composer|mise|containers)(?:\/|$)|\/\.composer\/(?:config|auth)\.json$|\/\.docker\/(?:config\.json|cli-plugins\/.*)$|\/\.kube\/config$|\/\.aws\/config$/,
    "settings of a package manager or a tool, which can run commands",
  ],
  [/\/\.(?:ssh|gnupg)(?:\/|$)|\/authorized_keys$/, "keys"],
  [
    /\/library\/launch(?:agents|daemons)\/|^\/etc\/(?:cron[^/]*|profile[^/]*|bash\.bashrc|bashrc|zsh[^/]*|environment|ld\.so\.[^/]*|sudoers[^/]*|pam\.d|systemd|init\.d|rc\.local|xdg|udev|dbus-1|apt|ssh|gitconfig|hosts|passwd|shadow)(?:\/|$)|^\/var\/spool\/(?:cron|at)(?:\/|$)/,
    "a program that the machine starts by itself",
  ],
];
