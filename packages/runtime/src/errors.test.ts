import { describe, expect, it } from "vitest";
import {
  AuthenticationError,
  CircuitBreakerOpenError,
  ConfigurationError,
  FileSystemError,
  ModelNotAvailableError,
  NetworkError,
  PluginError,
  ProviderError,
  RateLimitError,
  RobotaError,
  SessionError,
  ShellError,
  StorageError,
  ToolExecutionError,
  ValidationError,
} from "./errors.ts";
import { Robota } from "./agent/robota.ts";
import { Session } from "./session/session.ts";

const facts = { provider: "p" };

describe("the base of all errors", () => {
  it("has a code, a category, `recoverable`, a hint and its cause", () => {
    const cause = new Error("why");
    const error = new RobotaError("what", {
      code: "ANY",
      category: "user",
      recoverable: true,
      hint: "do this",
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "RobotaError",
      message: "what",
      code: "ANY",
      category: "user",
      recoverable: true,
      hint: "do this",
      cause,
    });
  });

  it("keeps its own hint when the given one is undefined", () => {
    const none = { hint: undefined };
    const errors = [
      new ConfigurationError("what", none),
      new ToolExecutionError("tool", "what", none),
      new SessionError("CLOSED", "what", none),
      new NetworkError("what", { ...facts, ...none }),
    ];
    for (const { hint } of errors) expect(hint).not.toBe("");
  });

  it("serialises without stack and cause", () => {
    const error = new ConfigurationError("what", { hint: "do this", cause: new Error("secret") });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "ConfigurationError",
      code: "CONFIGURATION_ERROR",
      message: "what",
      category: "user",
      recoverable: false,
      hint: "do this",
    });
  });
});

it.each([
  [new ConfigurationError("m"), "ConfigurationError", "CONFIGURATION_ERROR", "user", false],
  [new ValidationError("m"), "ValidationError", "VALIDATION_ERROR", "user", false],
  [new ProviderError("m", facts), "ProviderError", "PROVIDER_ERROR", "provider", true],
  [
    new AuthenticationError("m", facts),
    "AuthenticationError",
    "AUTHENTICATION_ERROR",
    "user",
    false,
  ],
  [new RateLimitError("m", facts), "RateLimitError", "RATE_LIMIT_ERROR", "provider", true],
  [new NetworkError("m", facts), "NetworkError", "NETWORK_ERROR", "system", true],
  [new ToolExecutionError("t", "m"), "ToolExecutionError", "TOOL_EXECUTION_ERROR", "system", false],
  [
    new ModelNotAvailableError("m", facts),
    "ModelNotAvailableError",
    "MODEL_NOT_AVAILABLE",
    "user",
    false,
  ],
  [
    new CircuitBreakerOpenError("m"),
    "CircuitBreakerOpenError",
    "CIRCUIT_BREAKER_OPEN",
    "system",
    true,
  ],
  [new PluginError("p", "m"), "PluginError", "PLUGIN_ERROR", "system", false],
  [new StorageError("STORAGE_ERROR", "m"), "StorageError", "STORAGE_ERROR", "system", true],
])("an error of the table: %s", (error, name, code, category, recoverable) => {
  expect(error).toBeInstanceOf(RobotaError);
  expect([error.name, error.code, error.category, error.recoverable]).toEqual([
    name,
    code,
    category,
    recoverable,
  ]);
});

it("has a hint for every kind of error, unless given a specific one", () => {
  const provider = "p";
  const errors = [
    ...(["ENOENT", "EIO", "ENOSPC"] as const).map((code) => new FileSystemError(code, "/a")),
    ...(["CONFLICT", "FULL", "CLOSED"] as const).map((code) => new StorageError(code, "m")),
    ...(["SESSION_BUSY", "LOG_CORRUPT"] as const).map((code) => new SessionError(code, "m")),
    new ShellError("m"),
    new ConfigurationError("m"),
    new ValidationError("m"),
    new ProviderError("m", { provider }),
    new AuthenticationError("m", { provider }),
    new RateLimitError("m", { provider }),
    new NetworkError("m", { provider }),
    new ModelNotAvailableError("m", { provider }),
    new ToolExecutionError("t", "m"),
    new CircuitBreakerOpenError("m"),
    new PluginError("p", "m"),
  ];
  for (const { hint } of errors) expect(hint).toMatch(/^[A-Z].{10,}\.$/);
  expect(new Set(errors.map(({ hint }) => hint)).size).toBe(errors.length);
  expect(new NetworkError("m", { provider, hint: "Do this." }).hint).toBe("Do this.");
});

it("reports a missing provider", () => {
  for (const options of [undefined, {}, { provider: undefined }, { provider: { chat: 1 } }]) {
    for (const kind of [Robota, Session]) {
      expect(() => Reflect.construct(kind, [options])).toThrow(
        expect.objectContaining({
          code: "CONFIGURATION_ERROR",
          hint: expect.stringContaining("provider"),
        }),
      );
    }
  }
});
