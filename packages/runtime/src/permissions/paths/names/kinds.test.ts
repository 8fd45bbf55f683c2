import { describe, expect, it } from "vitest";
import { isSecretName, protectedName } from "../file-names.ts";

const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/);

describe("kinds of protected files", () => {
  it.each(
    lines(`
      /w/.cursor/mcp.json
      /w/.cursor/hooks.json
      /w/.codex/config.toml
      /w/.gemini/settings.json
      /w/.windsurf/mcp_config.json
      /w/.continue/config.yaml
      /w/opencode.json
      /w/.devcontainer.json
      /w/devcontainer.json
      /home/me/.emacs.d/init.el
      /home/me/.config/emacs/init.el
      /w/.dir-locals.el
      /home/me/.config/helix/config.toml
      /w/x.sublime-project
      /w/.hg/hgrc
      /home/me/.hgrc
      /w/.jj/repo/config.toml
      /w/.gitlab/ci/build.yml
      /w/.gitlab-ci.local.yml
      /w/.azure-pipelines/build.yml
      /w/azure-pipelines-release.yml
      /w/.drone.star
      /w/.tekton/push.yaml
      /w/Jenkinsfile.release
      /home/me/.config/nushell/config.nu
      /home/me/Library/Application Support/nushell/env.nu
      /home/me/.config/powershell/Microsoft.PowerShell_profile.ps1
      /home/me/.xonshrc
      /home/me/.bashrc.d/x.sh
      /home/me/.local/bin/git
      /home/me/.config/tmux/tmux.conf
      /home/me/.gdbinit
      /w/.Rprofile
      /w/.pnp.cjs
      /w/.pnp.loader.mjs
      /home/me/.gradle/init.gradle
      /home/me/.gradle/init.d/x.gradle.kts
      /w/gradle/wrapper/gradle-wrapper.properties
      /w/rust-toolchain.toml
      /w/.tool-versions
      /w/mise.local.toml
      /home/me/.config/pip/pip.conf
      /home/me/.docker/config.json
      /home/me/.kube/config
      /home/me/.aws/config
      /etc/bash.bashrc
      /etc/zsh/zshenv`),
  )("include %s", (path) => expect(protectedName(path)).toBeDefined());

  it.each(
    lines(`
      /w/src/cursor.ts
      /w/codex/config.toml
      /w/docs/devcontainer.md
      /w/gradle.properties
      /w/build.gradle
      /w/local/bin/tool
      /w/src/profile.ts
      /w/pipelines/a.yml
      /w/ci/build.sh
      /w/emacs.d/x
      /w/config/nushell/x
      /w/README.md
      /w/package.json
      /w/AGENTS.md
      /w/etc/environment`),
  )("do not include %s", (path) => expect(protectedName(path)).toBeUndefined());
});

describe("kinds of files with secrets", () => {
  it.each(
    lines(`
      /w/.dev.vars
      /w/.dev.vars.production
      /w/.env~
      /w/.env.bak
      /w/id_rsa.old
      /w/server.key.orig
      /w/prod.env
      /w/config/staging.env
      /w/.flaskenv
      /w/terraform.tfvars
      /w/prod.auto.tfvars
      /w/terraform.tfvars.json
      /w/kubeconfig
      /w/prod.kubeconfig
      /w/kubeconfig.yaml
      /w/service-account.json
      /w/my-service_account-1.json
      /w/client_secret_1.apps.json
      /w/credentials.json
      /w/secrets.yaml
      /w/local.settings.json
      /w/AuthKey_1.p8
      /w/http.keytab
      /home/me/.codex/auth.json
      /home/me/.gemini/oauth_creds.json
      /home/me/.config/github-copilot/hosts.json
      /home/me/.local/share/opencode/auth.json
      /home/me/.composer/auth.json
      /home/me/.cache/huggingface/token
      /home/me/.databrickscfg
      /home/me/.local/share/keyrings/login.keyring
      /home/me/.local/share/fish/fish_history
      /home/me/.mylogin.cnf
      /home/me/.config/sops/age/keys.txt
      /var/run/secrets/kubernetes.io/serviceaccount/token
      /run/secrets/db
      /proc/1/environ
      /proc/self/environ
      /proc/self/task/12/environ
      /proc/12/task/12/mem
      /etc/kubernetes/admin.conf
      /etc/ssl/private/server.crt
      /etc/NetworkManager/system-connections/home
      /etc/ssh/ssh_host_ed25519_key`),
  )("include %s", (path) => expect(isSecretName(path)).toBe(true));

  it.each(
    lines(`
      /w/.env.example
      /w/example.env
      /w/process.env
      /w/import.meta.env
      /w/.dev.vars.example
      /w/src/secrets.ts
      /w/src/credentials.go
      /w/docs/secrets.md
      /w/environment.ts
      /w/env.d.ts
      /w/variables.tf
      /w/terraform.tfvars.example
      /w/kubeconfig.go
      /w/service-account.ts
      /w/auth.json
      /w/tokens.json
      /w/package.json
      /w/tsconfig.json
      /w/gradle.properties
      /w/id_rsa.pub
      /w/notes.bak
      /w/key.ts
      /w/cookies.ts
      /proc/cpuinfo
      /proc/self/status`),
  )("do not include %s", (path) => expect(isSecretName(path)).toBe(false));
});
