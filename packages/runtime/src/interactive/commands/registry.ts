import { CommandIndex } from "./command-index.ts";

/**
 * The commands of several sources: for the menu of a user interface, and to resolve typed ones. Among equal names, the
 * command of the source added first wins; the others are reachable as `source:name`.
 */
export class CommandRegistry extends CommandIndex {}
