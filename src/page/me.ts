/** Who is signed in; null if nobody is. */
import { computed, signal } from "@preact/signals";
import type { WireMe } from "../web/wire.js";

export const me = signal<WireMe | null>(null);
const owner = computed(() => me.value?.role === "owner");

export function isOwner(): boolean {
  return owner.value;
}

/** What people call a platform. */
export function platformTitle(platform: string): string {
  return me.value?.platforms[platform] ?? platform;
}
