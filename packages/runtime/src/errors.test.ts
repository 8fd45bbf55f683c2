import { describe, expect, it } from "vitest";
import {
  AuthenticationError,
  CircuitBreakerOpenError,
  ConfigurationError,
  ModelNotAvailableError,
  NetworkError,
  PluginError,
  ProviderError,
  RateLimitError,
  RobotaError,
  StorageError,
  ToolExecutionError,
  ValidationError,
} from "./errors.ts";

const facts = { provider: "p" };

describe("the base of all errors", () => {
  it("has a code, a category, whether it may pass, a hint and its cause", () => {
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

  it("leaves as plain facts, without stack and cause", () => {
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
