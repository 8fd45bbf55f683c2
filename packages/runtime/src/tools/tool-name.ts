/** The tool names that every provider accepts. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
