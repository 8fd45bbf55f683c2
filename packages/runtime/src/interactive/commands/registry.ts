import { CommandIndex } from "./command-index.ts";

/**
 * The commands of several sources: for the menu of a user interface, and to find the one that was typed. Of equal names,
 * the command of the source added first counts; the others are reachable as `source:name`.
 */
export class CommandRegistry extends CommandIndex {}
