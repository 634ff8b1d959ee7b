// The addresses of IANA's special-purpose registries, which no destination may have. Sources, as of November 2026:
// https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/multicast-addresses
// https://www.iana.org/assignments/iana-ipv6-special-registry and https://www.iana.org/assignments/ipv6-address-space

/** Each registered block of IPv4, those of multicast and those reserved, also where the registry calls it global. */
export const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** The only block of IPv6 from which global unicast addresses are given out. */
export const GLOBAL_IPV6 = '2000::/3';

/** The registered blocks within it: protocol assignments with Teredo, documentation, 6to4, AS112. */
export const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const;
