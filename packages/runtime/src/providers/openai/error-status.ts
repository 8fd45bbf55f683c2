import { object, text } from "../json.ts";

/** Statuses by the codes of error events. */
const STATUS: Record<string, number> = {
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  server_error: 500,
  internal_error: 500,
  overloaded_error: 529,
  server_overloaded: 529,
  service_unavailable: 503,
  insufficient_system_resource: 503,
  invalid_api_key: 401,
  authentication_error: 401,
  model_not_found: 404,
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
};

/** The status an error inside a stream would have had as an answer. An unknown one counts as the service's trouble. */
export function statusOf(error: unknown): number {
  const { code, type, status } = object(error);
  for (const value of [code, status]) {
    if (typeof value === "number" && value >= 400 && value < 600) return value;
  }
  return STATUS[text(code)] ?? STATUS[text(type)] ?? 500;
}
