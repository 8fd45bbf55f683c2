/** Variable with the bearer token for the server. */
export const TOKEN_VARIABLE = "ROBOTA_TOKEN";
