const REDACTED = "[REDACTED]";
// The prefixes under which services hand out keys, then credentials as headers carry them.
const KEY_SHAPES =
  /\b(?:sk-ant-|sk-or-|sk-proj-|sk-|xai-|gsk_|hf_|AIza|ghp_|github_pat_|glpat-|AKIA)[\w-]{8,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/g;

/** `text` without the given secrets and without anything that looks like a key. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, REDACTED);
  }
  return safe.replace(KEY_SHAPES, REDACTED);
}
