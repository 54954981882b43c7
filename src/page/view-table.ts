/**
 * The views beside the chat: the shell mounts the one whose path is the longest that the address begins with, and loads it
 * then. `icon` is the name of a drawing of the shell.
 */
import type { ComponentType } from "preact";

export const VIEWS: readonly {
  readonly path: string;
  readonly title: string;
  readonly icon: string;
  readonly ownerOnly?: boolean;
  load(): Promise<{ readonly default: ComponentType }>;
}[] = [
  { path: "/jobs", title: "Jobs", icon: "jobs", load: () => import("./views/jobs-view.js") },
  {
    path: "/processes",
    title: "Processes",
    icon: "processes",
    load: () => import("./views/processes-view.js"),
  },
  { path: "/memory", title: "Memory", icon: "memory", load: () => import("./views/memory-view.js") },
  { path: "/usage", title: "Usage", icon: "usage", load: () => import("./views/usage-view.js") },
  { path: "/devices", title: "Account", icon: "devices", load: () => import("./views/account-view.js") },
  {
    path: "/gateway",
    title: "Gateway",
    icon: "gateway",
    ownerOnly: true,
    load: () => import("./views/gateway/gateway-view.js"),
  },
];
