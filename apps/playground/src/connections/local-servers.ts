import type { LocalServiceId } from "./services.ts";

/** A line for a terminal. */
export interface Command {
  /** Where it belongs, such as an operating system. */
  label: string;
  line: string;
}

/** Commands that start a server so that this page may call it. Never `*`: any site could use the server then. */
export function startCommands(server: LocalServiceId, origin: string): Command[] {
  switch (server) {
    case "ollama":
      return [
        { label: "Terminal", line: `OLLAMA_ORIGINS=${origin} ollama serve` },
        {
          label: "macOS app (then restart it)",
          line: `launchctl setenv OLLAMA_ORIGINS "${origin}"`,
        },
        {
          label: "Linux service (add the line below [Service], then restart it)",
          line: `Environment="OLLAMA_ORIGINS=${origin}"`,
        },
        { label: "Windows (then restart it)", line: `setx OLLAMA_ORIGINS "${origin}"` },
      ];
    case "lmStudio":
      return [{ label: "Terminal", line: "lms server start --cors" }];
    case "llamaCpp":
      return [{ label: "Terminal", line: `llama-server -m model.gguf --cors-origins ${origin}` }];
  }
}

/** A command that starts a server with a larger context. */
export function contextCommand(server: LocalServiceId, origin: string, tokens: number): Command {
  switch (server) {
    case "ollama":
      return {
        label: "Terminal",
        line: `OLLAMA_CONTEXT_LENGTH=${tokens} OLLAMA_ORIGINS=${origin} ollama serve`,
      };
    case "lmStudio":
      return { label: "Terminal", line: `lms load --context-length ${tokens}` };
    case "llamaCpp":
      return {
        label: "Terminal",
        line: `llama-server -m model.gguf -c ${tokens} --cors-origins ${origin}`,
      };
  }
}

/**
 * The context that a local server gives a model, in tokens; nothing when it does not say. Each has an address of its own
 * for it, beside OpenAI's API.
 */
export async function askWindow(
  server: LocalServiceId,
  baseURL: string,
  model: string,
): Promise<number | undefined> {
  const root = baseURL.replace(/\/v1\/?$/, "");
  const paths: Record<LocalServiceId, string> = {
    ollama: "/api/ps",
    lmStudio: "/api/v0/models",
    llamaCpp: "/props",
  };
  try {
    const response = await fetch(root + paths[server], { signal: AbortSignal.timeout(3000) });
    if (!response.ok) return undefined;
    return windowIn(server, await response.json(), model);
  } catch {
    return undefined;
  }
}

/** The window in the answer of one of the addresses above. */
export function windowIn(server: LocalServiceId, body: unknown, model: string): number | undefined {
  const fields = record(body);
  switch (server) {
    case "ollama": {
      const loaded = list(fields["models"]).find((each) => each["name"] === model);
      return count(loaded?.["context_length"]);
    }
    case "lmStudio": {
      const found = list(fields["data"]).find((each) => each["id"] === model);
      return count(found?.["loaded_context_length"]) ?? count(found?.["max_context_length"]);
    }
    case "llamaCpp":
      return count(record(fields["default_generation_settings"])["n_ctx"]);
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
