/**
 * Patterns that recognise unknown secrets in a text.
 *
 * Prefixes are those that services document or scanners list (the rule sets of gitleaks 8 and of GitHub's secret
 * scanning, read in November 2026). Every pattern takes linear time, and one whose end may be missing (a quoted value,
 * a private key) also matches when truncated.
 */
export interface SecretShape {
  /** Occurs in everything that the pattern matches, and is found quickly. */
  mark: string;
  /** A first group precedes the secret and is kept. */
  pattern: RegExp;
}

/** Field names that hold secrets, as they occur in JSON inside a text. */
const FIELD = String.raw`[\w-]{0,64}(?:api[_-]?key|secret|token|passw(?:or)?d|passphrase|authorization|cookies?)`;

/**
 * Prefixes that need eight more key characters, grouped by issuer. Written out, not as patterns: the engine sorts
 * literal alternatives, which makes it five times as fast.
 */
const PREFIXES = [
  // Models: Anthropic, OpenAI and others that took over its form, xAI, Groq, Hugging Face, Replicate, Perplexity, NVIDIA.
  "sk-",
  "xai-",
  "gsk_",
  "hf_",
  "r8_",
  "pplx-",
  "nvapi-",
  // AWS and Alibaba; Google's API keys, OAuth clients, access and refresh tokens; DigitalOcean, Fly, Supabase.
  "AKIA",
  "ASIA",
  "ABIA",
  "LTAI",
  "AIza",
  "GOCSPX-",
  "ya29.",
  "1//0",
  "doo_v1_",
  "dop_v1_",
  "dor_v1_",
  "fm1_",
  "fm2_",
  "sbp_",
  // GitHub; GitLab's tokens of persons, runners, deploys, triggers, agents; registries of packages.
  "ghp_",
  "gho_",
  "ghr_",
  "ghs_",
  "ghu_",
  "github_pat_",
  "GR1348941",
  "glagent-",
  "glcbt-",
  "gldt-",
  "glffct-",
  "glft-",
  "glimt-",
  "gloas-",
  "glpat-",
  "glptt-",
  "glrt-",
  "glrtr-",
  "glsoat-",
  "npm_",
  "pypi-",
  "rubygems_",
  "dckr_pat_",
  "AKCp",
  // Stripe (live, test, webhooks), Shopify, Square.
  "sk_live_",
  "sk_test_",
  "rk_live_",
  "rk_test_",
  "whsec_",
  "shpat_",
  "shpca_",
  "shppa_",
  "shpss_",
  "sq0atp-",
  "sq0csp-",
  "sq0idp-",
  // Slack's tokens and apps, SendGrid, Brevo.
  "xoxa-",
  "xoxb-",
  "xoxc-",
  "xoxe-",
  "xoxo-",
  "xoxp-",
  "xoxr-",
  "xoxs-",
  "xoxd-",
  "xapp-",
  "xwfp-",
  "SG.",
  "xkeysib-",
  // Vault, Grafana, Sentry, New Relic, Pulumi, Tailscale, Postman, Linear, Notion, Figma, Atlassian, 1Password, age.
  "hvb.",
  "hvr.",
  "hvs.",
  "glc_",
  "glsa_",
  "sntrys_",
  "sntryu_",
  "NRAK-",
  "pul-",
  "tskey-",
  "PMAK-",
  "lin_api_",
  "ntn_",
  "figd_",
  "ATATT3x",
  "ATCTT3x",
  "ops_eyJ",
  "AGE-SECRET-KEY-1",
]
  .map((prefix) => prefix.replace(".", String.raw`\.`))
  .join("|");

/**
 * The value of a line `password: …` or `token = …` that looks like a secret: letters and digits, not a program's
 * expression.
 */
const VALUE =
  String.raw`(?!\$|process\.|import\.|[\w.]{0,64}env[.[])` +
  String.raw`(?=[^\s"',;]{0,256}\d)(?=[^\s"',;]{0,256}[A-Za-z])[^\s"',;(){}<>[\]]{8,}`;

export const SECRET_SHAPES: readonly SecretShape[] = [
  // Keys by their prefix, then credentials as headers carry them.
  {
    mark: "",
    pattern: new RegExp(
      String.raw`\b(?:${PREFIXES})[\w.~+/=-]{7,}[\w~+/=-]|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}`,
      "g",
    ),
  },
  { mark: "eyJ", pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  { mark: "bearer", pattern: /\b(bearer\s{1,8})(?=[\w.~+/=-]{0,256}\d)[\w.~+/=-]{8,}/g },
  {
    mark: "-----BEGIN ",
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  },
  {
    mark: "-----BEGIN PGP PRIVATE",
    pattern: /-----BEGIN PGP PRIVATE KEY BLOCK-----[^-]*(?:-----END PGP PRIVATE KEY BLOCK-----)?/g,
  },
  // Headers in a dump of a request.
  { mark: ":", pattern: /\b((?:set-)?cookie:[ \t]{0,8})(?=[^\s=]{1,128}=)[^\r\n]+/gi },
  {
    mark: ":",
    pattern: /\b(x-(?:[\w-]{0,32}-)?(?:key|token|secret):[ \t]{0,8})[^\s"',;]{8,}/gi,
  },
  // Assignments, as `.env` files have them, and connection strings.
  {
    mark: "=",
    pattern:
      /\b((?:[A-Z][A-Z0-9_]*)?(?:KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)=)(?:"[^"\n]*"?|'[^'\n]*'?|[^\s"']+)/g,
  },
  { mark: "=", pattern: /((?:AccountKey|SharedAccessKey|_auth(?:Token)?|_password)=)[^\s"';]+/g },
  // Lines of YAML, of INI files and of a person's notes.
  {
    mark: "",
    pattern: new RegExp(
      String.raw`((?:api[_-]?key|secret(?:[_-]?key)?|token|passw(?:or)?d|passphrase)\s{0,4}[:=]\s{1,4}["']?)${VALUE}`,
      "gi",
    ),
  },
  // Fields of JSON, and of JSON inside a text of JSON.
  {
    mark: '"',
    pattern: new RegExp(String.raw`("${FIELD}"\s{0,8}:\s{0,8}")(?:[^"\\]|\\[^])+`, "gi"),
  },
  {
    mark: String.raw`\"`,
    pattern: new RegExp(String.raw`(\\"${FIELD}\\"\s{0,8}:\s{0,8}\\")(?:[^"\\]|\\[^"])+`, "gi"),
  },
  // Addresses: the password of their user, parameters, and webhooks that are secret as a whole.
  { mark: "://", pattern: /(:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)/g },
  {
    mark: "=",
    pattern:
      /([?&](?:key|api[_-]?key|(?:access[_-]?)?token|secret|password|sig|signature)=)[^&\s"'#]+/gi,
  },
  { mark: "hooks.slack.com/", pattern: /(hooks\.slack\.com\/[a-z]{1,16}\/)[\w/-]{8,}/g },
  { mark: "/api/webhooks/", pattern: /(\/api\/webhooks\/\d{1,32}\/)[\w-]{8,}/g },
  // Keys of one length only, or with their mark in the middle: Databricks, Mailgun, Telegram, Azure, HCP Terraform.
  { mark: "dapi", pattern: /\bdapi[0-9a-f]{32}\b/g },
  { mark: ":AA", pattern: /\b\d{8,10}:AA[\w-]{30,}/g },
  { mark: "8Q~", pattern: /\b\w{3}8Q~[\w~.-]{20,}/g },
  { mark: ".atlasv1.", pattern: /\b\w{8,20}\.atlasv1\.[\w-]{20,}/g },
  { mark: "key-", pattern: /\bkey-[0-9a-f]{32}\b/g },
];
