import { describe, expect, it } from "vitest";
import { deriveKey, ITERATIONS, newDerivation, seal, unseal } from "./seal.ts";

const KEY = "sk-test-0123456789abcdef";

describe("a sealed key", () => {
  it("opens with its passphrase and for its purpose, and for nothing else", async () => {
    const derivation = newDerivation();
    expect(derivation.iterations).toBeGreaterThanOrEqual(600_000);
    const key = await deriveKey("correct horse", derivation);
    const sealed = await seal(key, KEY, "openai https://api.openai.com");
    const bytes = new TextDecoder("latin1").decode(sealed.data);
    expect(bytes).not.toContain(KEY);
    const again = await deriveKey("correct horse", derivation);
    expect(await unseal(again, sealed, "openai https://api.openai.com")).toBe(KEY);
    expect(await unseal(again, sealed, "openai https://evil.example")).toBeUndefined();
    const wrong = await deriveKey("Correct horse", derivation);
    expect(await unseal(wrong, sealed, "openai https://api.openai.com")).toBeUndefined();
  });

  it("never gets the same bytes twice, nor a key that can be read back", async () => {
    const key = await deriveKey("correct horse", newDerivation());
    const [one, two] = [await seal(key, KEY, "p"), await seal(key, KEY, "p")];
    expect(new Uint8Array(one.data)).not.toEqual(new Uint8Array(two.data));
    expect(key.extractable).toBe(false);
  });

  it("is refused with fewer iterations than it was made with", async () => {
    const { salt } = newDerivation();
    await expect(deriveKey("x", { salt, iterations: ITERATIONS - 1 })).rejects.toThrow(/weakly/);
  });
});
