import { describe, expect, it } from "vitest";
import { isConnection } from "./connection.ts";
import { addressProblem, connectionTo, isLoopback, originOf } from "./address.ts";

describe("an address", () => {
  const page = "https://play.example/app/";

  it("is https, or http on this machine", () => {
    for (const good of [
      "https://api.example/v1",
      "http://localhost:11434/v1",
      "http://127.0.0.1:1234/v1",
      "http://[::1]:8080/v1",
    ])
      expect(addressProblem(good, page), good).toBeUndefined();
    for (const [bad, words] of [
      ["", "Enter"],
      ["api.example/v1", "Start with"],
      ["ftp://api.example", "Start with"],
      ["http://192.168.1.5:11434/v1", "Use https"],
      ["http://localhost.evil.example/v1", "Use https"],
    ] as const)
      expect(addressProblem(bad, page), bad).toContain(words);
  });

  it("has no place for a key, which would be in every log of requests", () => {
    for (const bad of [
      "https://sk-1@api.example",
      "https://api.example?key=sk-1",
      "https://a.b/#k",
    ])
      expect(addressProblem(bad, page), bad).toContain("Leave out");
  });

  it("is on this machine only by its whole host", () => {
    expect(isLoopback("http://llm.localhost:80/v1")).toBe(true);
    expect(isLoopback("http://127.0.0.1.evil.example/")).toBe(false);
    expect(isLoopback("nonsense")).toBe(false);
  });
});

describe("a connection", () => {
  it("names its provider by the service, and by the host where addresses are one's own", () => {
    expect(connectionTo("ollama", " llama3.2 ", "http://localhost:11434/v1/")).toEqual({
      service: "ollama",
      provider: "ollama",
      model: "llama3.2",
      baseURL: "http://localhost:11434/v1",
    });
    expect(connectionTo("custom", "m", "https://a.example/v1").provider).toBe("a.example");
    expect(originOf("https://a.example:8443/v1")).toBe("https://a.example:8443");
  });

  it("is checked when it comes from storage", () => {
    const good = connectionTo("openai", "gpt-5.4");
    expect(isConnection(good)).toBe(true);
    for (const bad of [null, "x", { ...good, service: "toString" }, { ...good, model: 1 }])
      expect(isConnection(bad)).toBe(false);
  });
});
