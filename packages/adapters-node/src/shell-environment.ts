import { redact, redactValue } from "@robota/runtime/log";

/** Variables that make a shell run something before the command, or parse it differently. */
const UNWANTED = new Set(["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND"]);

/** Variables that every command needs, whatever their values look like. */
const NEEDED = new Set(["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]);

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Further variables for commands: places and locale settings. Excludes those that make programs load code
 * (`LD_PRELOAD`, `NODE_OPTIONS`, `PYTHONPATH`, `GOFLAGS`), those that grant access (`SSH_AUTH_SOCK`, `DBUS_…`,
 * `DOCKER_HOST`, `KUBECONFIG`), and a program's own, which may be secrets under any name.
 */
const PASSED = new Set([
  // The person, the terminal, the machine.
  ...names(`USERNAME HOSTNAME HOSTTYPE OSTYPE MACHTYPE PWD OLDPWD SHLVL TMP TEMP TZ LANGUAGE COLORTERM TERMINFO
    TERMINFO_DIRS TERM_PROGRAM TERM_PROGRAM_VERSION NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES EDITOR
    VISUAL PAGER MANPAGER MANPATH INFOPATH LESS XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
    XDG_CONFIG_DIRS XDG_DATA_DIRS SOURCE_DATE_EPOCH WSL_DISTRO_NAME HOMEBREW_PREFIX HOMEBREW_CELLAR
    HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES`),
  // Continuous integration.
  ...names(
    "CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI BUILDKITE CIRCLECI TRAVIS TF_BUILD RUNNER_OS RUNNER_TEMP",
  ),
  // Git's committer identity, and its search boundaries.
  ...names(`GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CEILING_DIRECTORIES
    GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS`),
  // JavaScript.
  ...names(`NODE_ENV NODE_VERSION NVM_DIR NVM_BIN NVM_INC FNM_DIR VOLTA_HOME N_PREFIX COREPACK_HOME PNPM_HOME
    YARN_VERSION BUN_INSTALL DENO_DIR DENO_INSTALL npm_config_cache npm_config_prefix npm_config_registry
    npm_config_color npm_config_loglevel PLAYWRIGHT_BROWSERS_PATH CHROME_BIN`),
  // Python.
  ...names(`VIRTUAL_ENV VIRTUAL_ENV_PROMPT CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE CONDA_PYTHON_EXE CONDA_SHLVL
    PYENV_ROOT PYENV_VERSION PIPX_HOME PIPX_BIN_DIR PIP_CACHE_DIR PIP_INDEX_URL POETRY_HOME UV_CACHE_DIR
    PYTHON_VERSION PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED`),
  // The Java virtual machine, and Android.
  ...names(`JAVA_HOME JDK_HOME JRE_HOME M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANT_HOME KOTLIN_HOME SCALA_HOME
    SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME FLUTTER_ROOT PUB_CACHE`),
  // Go, Rust, C.
  ...names(`GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOOS GOARCH GOPROXY GOPRIVATE GONOSUMDB GOTOOLCHAIN CGO_ENABLED
    CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUST_BACKTRACE RUST_LOG CC CXX AR CFLAGS CXXFLAGS
    CPPFLAGS LDFLAGS PKG_CONFIG_PATH CMAKE_PREFIX_PATH CMAKE_GENERATOR`),
  // Ruby, PHP, .NET, Elixir, and version managers.
  ...names(`GEM_HOME GEM_PATH RBENV_ROOT RBENV_VERSION RUBY_VERSION BUNDLE_PATH RAILS_ENV RACK_ENV COMPOSER_HOME DOTNET_ROOT
    DOTNET_CLI_HOME DOTNET_CLI_TELEMETRY_OPTOUT NUGET_PACKAGES MIX_ENV MIX_HOME HEX_HOME ASDF_DIR ASDF_DATA_DIR
    MISE_DATA_DIR`),
  // Proxies. A password in the value marks it as a secret.
  ...names(`HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY http_proxy https_proxy all_proxy ftp_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO NIX_SSL_CERT_FILE`),
]);

/**
 * The environment of commands: known useful variables, unless name or value look like a secret, and the names in
 * `allowed` unconditionally.
 */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isUnwanted(name)) continue;
    const isPassed = PASSED.has(name) || name.startsWith("LC_");
    if (NEEDED.has(name) || allowed.includes(name) || (isPassed && !looksSecret(name, value)))
      clean[name] = value;
  }
  return clean;
}

/** True for a variable that changes what a shell runs. */
export function isUnwanted(name: string): boolean {
  // Functions are exported under names like `BASH_FUNC_ls%%`, and replace programs.
  return UNWANTED.has(name) || name.startsWith("BASH_FUNC_");
}

function looksSecret(name: string, value: string): boolean {
  const assignment = `${name.toUpperCase()}=${value}`;
  if (redact(assignment) !== assignment) return true;
  const kept: unknown = redactValue({ [name]: value });
  return JSON.stringify(kept) !== JSON.stringify({ [name]: value });
}
