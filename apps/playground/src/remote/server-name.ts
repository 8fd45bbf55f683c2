/** The server as people call it. */
export function serverName(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
