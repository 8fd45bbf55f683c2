import { ConfigurationError } from "../../errors.ts";

/** The value of a `webhook-signature` header for a text. */
export type Signer = (text: string) => Promise<string>;

const PREFIX = "whsec_";

/**
 * Signs with HMAC-SHA256. The secret is Base64 behind `whsec_`, as Standard Webhooks hands them out, or any other text.
 * @throws {ConfigurationError} for a `whsec_` that no Base64 follows
 */
export function createSigner(secret: string): Signer {
  const bytes = secretBytes(secret);
  let imported: Promise<CryptoKey> | undefined;
  return async (text) => {
    imported ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ]);
    const signature = await crypto.subtle.sign("HMAC", await imported, encode(text));
    return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
  };
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(PREFIX)) return encode(secret);
  try {
    const binary = atob(secret.slice(PREFIX.length));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ConfigurationError("The secret of the webhook is not Base64 behind whsec_", {
      cause,
      hint: "Copy it whole from where it was made, or give a secret without that prefix.",
    });
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
