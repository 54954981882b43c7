/**
 * Says whether an IP address is on the public internet. Private, local, shared and reserved addresses are not, and
 * neither are those that lead to another address; of IPv6, only global unicast is.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";

const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared by a provider's customers; clouds put their metadata there, too
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // a cloud's wire server, at an address that looks public
  ["169.254.0.0", 16], // link-local, and the metadata of most clouds
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Global unicast, and the prefix by which a network without IPv4 reaches it: the IPv4 address is at the end. */
const GLOBAL_6: readonly (readonly [string, number])[] = [
  ["2000::", 3],
  ["64:ff9b::", 96],
];

const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ["2001::", 23], // protocols: Teredo, which carries an IPv4 address, and others
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4, which carries an IPv4 address
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
  ...NOT_PUBLIC_4.map(([net, prefix]) => [`64:ff9b::${net}`, 96 + prefix] as const),
];

const notPublic4 = blockList("ipv4", NOT_PUBLIC_4);
const notPublic6 = blockList("ipv6", NOT_PUBLIC_6);
const global6 = blockList("ipv6", GLOBAL_6);

/** False for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !notPublic6.check(address, "ipv6");
}

function blockList(family: "ipv4" | "ipv6", subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family);
  return list;
}
