/**
 * Files that hold keys or passwords, by patterns for folded paths. Collected from the file rules of gitleaks and secretlint,
 * from GitHub's `gitignore` templates, and from the documentation of the programs that keep them.
 */
const KINDS: readonly RegExp[] = [
  // A program's environment. Templates are exempt, and `process.env` is a common search term.
  /\/\.env(?:rc)?(?:\.(?!(?:example|sample|template|dist|defaults|schema)$)[^/]*)?$/,
  /\/(?:[^/!]*[-_.])?(?:prod(?:uction)?|stag(?:e|ing)|dev(?:elopment)?|local|test(?:ing)?|qa|uat|ci|docker|compose|db|database|secrets?|credentials)\.env$|\/\.(?:flaskenv|dev\.vars(?:\.(?!example$)[^/]*)?)$/,
  /^\/proc\/(?:[^/]+\/)?(?:task\/[^/]+\/)?(?:environ|mem|cmdline|maps|smaps|auxv|kcore)$|^\/dev\/k?mem$/,
  // Keys of people and servers.
  /\/\.(?:ssh|gnupg|password-store)(?:\/|$)|\/id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\/ssh_host_[^/]*_key$/,
  /\.(?:pem|p8|p12|pfx|pkcs8|pkcs12|pk8|ppk|jks|keystore|keytab|kdbx?|keychain(?:-db)?|asc|gpg|agekey|ovpn|jwk)$|(?<!\.pub)\.key$/,
  /\/library\/keychains\/|\/\.local\/share\/(?:keyrings|kwalletd)\/|\/\.config\/(?:sops|op|age)\/|\/secring\.[^/]*$|\/wallet\.dat$|\/\.ethereum\/keystore\/|\/\.config\/solana\/id\.json$/,
  // Clouds and clusters.
  /\/\.(?:aws\/(?:credentials|config|sso|cli)|azure|config\/gcloud|kube\/(?:config|cache)|docker\/config\.json|oci\/config|aliyun|bluemix|cloudflared|fly|pulumi\/credentials\.json|config\/\.?(?:wrangler|doctl|hub|glab-cli|netlify|rclone|ngrok|heroku)|ngrok2|wrangler\/config|vercel\/auth\.json|s3cfg|boto|passwd-s3fs|dockercfg|databrickscfg|snowsql|snowflake)(?:\/|$)/,
  /\/(?:[^/]*\.)?kubeconfig(?:\.ya?ml)?$|^\/etc\/kubernetes\/[^/]*\.conf$|^\/(?:var\/)?run\/secrets\//,
  /\/[^/]*service[-_]?account[^/]*\.json$|\/(?:client_secrets?|gcp[-_]?key|gcloud[-_]?key|application_default_credentials|google[-_]credentials)[^/]*\.json$|\/access_?tokens\.json$|\.publishsettings$|\/local\.settings\.json$/,
  /\.(?:tfvars|tfvars\.json|tfstate(?:\.backup)?)$|\/(?:\.terraformrc|credentials\.tfrc\.json)$|\/\.?vault[-_]pass(?:word)?(?:\.txt)?$|\/\.vault-token$/,
  // Accounts of agents, packages, code and data.
  /\/\.(?:credentials\.json|credentials|codex\/auth\.json|gemini\/(?:oauth_creds|google_accounts)\.json|qwen\/oauth_creds\.json|claude\.json|local\/share\/opencode\/auth\.json|config\/(?:gh\/hosts\.yml|github-copilot\/[^/]*\.json)|kaggle\/kaggle\.json|huggingface\/token|cache\/huggingface\/(?:token|stored_tokens)|streamlit\/secrets\.toml|dbt\/profiles\.yml)$/,
  /\/(?:\.npmrc|\.yarnrc\.yml|\.pypirc|[._]netrc|\.git-credentials|\.htpasswd|\.rclone\.conf|rclone\.conf|nuget\.config)$|\/\.(?:cargo\/credentials(?:\.toml)?|gem\/credentials|m2\/settings(?:-security)?\.xml|gradle\/gradle\.properties|composer\/auth\.json|config\/composer\/auth\.json)$/,
  /\/(?:\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.msmtprc|\.fetchmailrc|\.muttrc|\.esmtprc)$/,
  /\/(?:secrets?|credentials?|passwords?)\.(?:json|ya?ml|toml|ini|xml|properties|txt|cfg|conf|csv)$|\/wp-config\.php$/,
  // Shell histories, and browser profiles.
  /\/\.(?:(?:bash|zsh|ksh|sh|python|node_repl|psql|mysql|sqlite|irb|rediscli|mongo)_?history|zhistory|histfile)$|\/fish_history$/,
  /\/(?:login data|web data|cookies|cookies\.sqlite|key[34]\.db|logins\.json)$/,
  // The machine's own.
  /^\/etc\/(?:g?shadow-?|sudoers|ssl\/private\/|wireguard\/|openvpn\/|networkmanager\/system-connections\/|ipsec\.secrets|ppp\/[^/]*-secrets|krb5\.keytab)/,
];

/** Any of them. */
export const SECRET_KINDS = new RegExp(KINDS.map(({ source }) => `(?:${source})`).join("|"));

/** Suffixes of backup copies by editors and people. */
export const COPY_OF = /(?:~|\.(?:bak|backup|old|orig|save|copy|tmp|sw[a-p]))+$/;
