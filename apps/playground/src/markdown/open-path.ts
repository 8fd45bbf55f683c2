import { createContext } from "react";

/** Opens a file of the workspace that a text links to. */
export const OpenPath = createContext<(path: string) => void>(() => undefined);
