/** OWASP's least for PBKDF2 with SHA-256, as of 2023 and 2025. */
export const ITERATIONS = 600_000;
const SALT_BYTES = 16;
const IV_BYTES = 12;

/** How a passphrase becomes a key: not secret. */
export interface Derivation {
  salt: Uint8Array<ArrayBuffer>;
  iterations: number;
}

/** A text that only the passphrase opens. */
export interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

export function newDerivation(): Derivation {
  return { salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)), iterations: ITERATIONS };
}

/** The key of a passphrase. It can't be read back, and takes a noticeable part of a second on purpose. */
export async function deriveKey(
  passphrase: string,
  { salt, iterations }: Derivation,
): Promise<CryptoKey> {
  if (iterations < ITERATIONS) throw new Error("The stored keys are protected too weakly");
  const text = new TextEncoder().encode(passphrase.normalize("NFC"));
  const material = await crypto.subtle.importKey("raw", text, "PBKDF2", false, ["deriveKey"]);
  const derived = { name: "AES-GCM", length: 256 };
  const from = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return crypto.subtle.deriveKey(from, material, derived, false, ["encrypt", "decrypt"]);
}

/** @param purpose bound to the text: sealed for one purpose, it opens for no other */
export async function seal(key: CryptoKey, text: string, purpose: string): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const additionalData = new TextEncoder().encode(purpose);
  const algorithm = { name: "AES-GCM", iv, additionalData };
  const data = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text));
  return { iv, data };
}

/** Resolves to nothing when the key, the purpose or the data is another. */
export async function unseal(
  key: CryptoKey,
  { iv, data }: Sealed,
  purpose: string,
): Promise<string | undefined> {
  const additionalData = new TextEncoder().encode(purpose);
  try {
    const bytes = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, data);
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof DOMException && error.name === "OperationError") return undefined;
    throw error;
  }
}
