const REDACTED = "[REDACTED]";
/** Shorter texts would be found by chance in texts that hold no secret. */
const SHORTEST_SECRET = 4;
const DEEPEST = 32;

/** What gives a secret away in a text, and what is left of it. Every pattern takes linear time. */
const SHAPES: readonly [shape: RegExp, rest: string][] = [
  // The prefixes under which services hand out keys, then credentials as headers carry them.
  [
    /\b(?:sk-ant-|sk-or-|sk-proj-|sk-|[sr]k_live_|xai-|gsk_|hf_|npm_|AIza|gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|A[KS]IA)[\w-]{8,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/g,
    REDACTED,
  ],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    REDACTED,
  ],
  // Assignments, as `.env` files have them.
  [
    /\b([A-Z][A-Z0-9_]*(?:KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)=)(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)/g,
    `$1${REDACTED}`,
  ],
  // Addresses: the password of their user, and parameters.
  [/(:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)/g, `$1${REDACTED}`],
  [
    /([?&](?:key|api[_-]?key|(?:access[_-]?)?token|secret|password|sig|signature)=)[^&\s"'#]+/gi,
    `$1${REDACTED}`,
  ],
];

/** Ends of names under which secrets are kept, without case, `-` and `_`. `inputTokens` is none of them. */
const SECRET_NAME =
  /(?:apikey|secretkey|accesskey|privatekey|signingkey|secret|token|passw(?:or)?d|passphrase|authorization|cookie|credentials?)$/;

/** `text` without the given secrets, in whatever form an address or a header carries them, and without anything that looks like a key. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return withoutSecrets(text, formsOf(secrets));
}

/**
 * A copy of `value` that may be stored or shown: plain data without secrets, which are known by the name that they are
 * kept under (`apiKey`, `Authorization`, `refresh_token`) or as `redact` knows them. Cycles and functions are left out.
 */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  return safeCopy(value, formsOf(secrets), []);
}

function withoutSecrets(text: string, forms: readonly string[]): string {
  let safe = text;
  for (const form of forms) safe = safe.replaceAll(form, REDACTED);
  for (const [shape, rest] of SHAPES) safe = safe.replace(shape, rest);
  return safe;
}

function safeCopy(value: unknown, forms: readonly string[], above: readonly object[]): unknown {
  if (typeof value === "string") return withoutSecrets(value, forms);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (above.includes(value) || above.length >= DEEPEST) return undefined;
  const path = [...above, value];
  if (Array.isArray(value))
    return value.map((item: unknown) => safeCopy(item, forms, path) ?? null);
  const copies = Object.entries(value instanceof Error ? ownWords(value) : value)
    .map(([key, item]) => [key, isSecret(key, item) ? REDACTED : safeCopy(item, forms, path)])
    .filter(([, item]) => item !== undefined);
  return Object.fromEntries(copies);
}

/** An error as data: its name and message are no enumerable properties, and its stack and cause stay here. */
function ownWords({ name, message, ...error }: Error): object {
  const { cause: _, stack: __, ...facts } = error;
  return { name, message, ...facts };
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "" || typeof value === "boolean")
    return false;
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_]/g, ""));
}

/** Each secret as it is, in an address, and inside Base64 at each of the three places where it can begin there. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    forms.add(secret).add(encodeURIComponent(secret.toWellFormed()));
    const binary = String.fromCharCode(...new TextEncoder().encode(secret));
    for (const offset of [0, 1, 2]) {
      // Without the characters at both ends that its neighbours have a part in.
      const begin = Math.ceil((offset * 4) / 3);
      const end = Math.floor(((offset + binary.length) * 4) / 3);
      const form = btoa("\0".repeat(offset) + binary).slice(begin, end);
      if (form.length < SHORTEST_SECRET) continue;
      forms.add(form).add(form.replaceAll("+", "-").replaceAll("/", "_"));
    }
  }
  return [...forms];
}
