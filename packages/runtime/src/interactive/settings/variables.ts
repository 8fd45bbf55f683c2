/** The variables that are settings. None is the provider: the key of another layer would go to the service it names. */
export const ENVIRONMENT_VARIABLES = [
  "ROBOTA_PERMISSION_MODE",
  "ROBOTA_MODEL",
  "ROBOTA_LANGUAGE",
  "ROBOTA_MAX_TURNS",
] as const;
