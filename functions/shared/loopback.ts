// Hosts that are this machine: the only ones to which a connection may go without TLS.

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL's host name means this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
