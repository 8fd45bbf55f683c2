/** A path of a manifest as the bundle's files have it. */
export function inBundle(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
}

/** The variables with which a bundle's commands find its files. */
export function rootVariables(directory: string): Record<string, string> {
  return { ROBOTA_PLUGIN_ROOT: directory, CLAUDE_PLUGIN_ROOT: directory };
}

/** A command line with these variables set: the place itself is never part of the text that the shell reads. */
export function withRoot(command: string, directory: string): string {
  const quoted = `'${directory.replaceAll("'", `'\\''`)}'`;
  const names = Object.keys(rootVariables(directory));
  return `export ${names.map((name) => `${name}=${quoted}`).join(" ")}\n${command}`;
}
