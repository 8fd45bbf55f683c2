/** A tab of the panel beside the conversation. */
export type PanelTab = "files" | "log";
