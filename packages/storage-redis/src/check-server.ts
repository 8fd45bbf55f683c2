import { ConfigurationError } from "@robota/runtime";

/**
 * Checks that the server keeps its writes, by its settings.
 * @throws {ConfigurationError} When it may forget acknowledged writes, or does not tell.
 */
export function checkServer(settings: Readonly<Record<string, string>>): void {
  const { appendonly, appendfsync, maxmemory = "0" } = settings;
  if (appendonly === undefined) {
    throw new ConfigurationError("The Redis server does not tell how it stores writes.", {
      hint: "Allow CONFIG GET, or pass durability: 'server' after checking that losing the newest writes is acceptable.",
    });
  }
  if (appendonly !== "yes" || appendfsync !== "always") {
    throw new ConfigurationError("The Redis server confirms writes before they are durable.", {
      hint: "Set appendonly yes and appendfsync always, or pass durability: 'server' to accept that a crash loses the newest writes.",
    });
  }
  const policy = settings["maxmemory-policy"];
  if (maxmemory !== "0" && policy !== "noeviction") {
    throw new ConfigurationError(
      `The Redis server evicts data when its memory is full (${policy}).`,
      {
        hint: "Set maxmemory-policy to noeviction: sessions are no cache.",
      },
    );
  }
}
