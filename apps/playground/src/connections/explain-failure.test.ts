import { AuthenticationError, NetworkError, ProviderError, RateLimitError } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { explainFailure, type FailureFacts } from "./explain-failure.ts";

const origin = "https://play.example";
const remote: FailureFacts = {
  service: "openai",
  baseURL: "https://api.openai.com/v1",
  origin,
  online: true,
  isSafari: false,
  localAccess: undefined,
  isListening: false,
};
const local: FailureFacts = { ...remote, service: "ollama", baseURL: "http://localhost:11434/v1" };
const provider = "openai";
const unanswered = new NetworkError("no answer", { provider });
const answered = (code: string, status: number): ProviderError =>
  new ProviderError(`openai answered ${status}`, { provider, code, status });

describe("a failed check", () => {
  it.each([
    ["a refused key", new AuthenticationError("401", { provider, status: 401 }), "was refused"],
    [
      "a limited key",
      new AuthenticationError("403", { provider, status: 403 }),
      "lacks permission",
    ],
    ["an empty account", answered("QUOTA_EXCEEDED", 402), "no credit"],
  ])("names %s, and offers to change it", (_, error, title) => {
    const explained = explainFailure(error, remote);
    expect(explained.title).toContain(title);
    expect(explained.isAboutKey).toBe(true);
  });

  it.each([
    [new RateLimitError("429", { provider, status: 429 }), "Too many requests"],
    [answered("OVERLOADED", 529), "api.openai.com has trouble"],
    [answered("SERVER_ERROR", 500), "api.openai.com has trouble"],
    [answered("INVALID_RESPONSE", 200), "A web page answered"],
    [answered("NOT_FOUND", 404), "Nothing at this address"],
  ])("says whose trouble it is: %s", (error, title) => {
    const explained = explainFailure(error, remote);
    expect(explained.title).toContain(title);
    expect(explained.isAboutKey).toBe(false);
  });

  it("tells an organization's ban on web pages from a wrong key", () => {
    const message = "CORS requests are not allowed for this Organization because of its settings";
    const error = new AuthenticationError(message, { provider, status: 401 });
    expect(explainFailure(error, remote).title).toContain("organization blocks");
  });

  it("tells a server that is off from one that does not allow the page, each with its line", () => {
    const off = explainFailure(unanswered, local);
    expect(off.title).toBe("Nothing answers at localhost:11434");
    const closed = explainFailure(unanswered, { ...local, isListening: true });
    expect(closed.title).toContain("doesn't allow this page");
    for (const { commands } of [off, closed])
      expect(commands[0]?.line).toBe(`OLLAMA_ORIGINS=${origin} ollama serve`);
    const others = (["lmStudio", "llamaCpp"] as const).map(
      (service) => explainFailure(unanswered, { ...local, service }).commands[0]?.line,
    );
    expect(others[0]).toBe("lms server start --cors");
    expect(others[1]).toContain(`--cors-origins ${origin}`);
  });

  it("names what the browser forbids", () => {
    const denied = explainFailure(unanswered, { ...local, localAccess: "denied" });
    expect(denied.title).toContain("browser blocks access to this machine");
    const safari = explainFailure(unanswered, { ...local, isSafari: true });
    expect(safari.title).toContain("Safari");
    expect(explainFailure(unanswered, { ...remote, online: false }).title).toContain("offline");
    const cors = explainFailure(unanswered, { ...remote, isListening: true });
    expect(cors.text).toContain(`Access-Control-Allow-Origin for ${origin}`);
    expect(explainFailure(unanswered, remote).title).toContain("can't be reached");
  });
});
