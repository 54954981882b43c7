import { describe, expect, test } from "vitest";
import { surroundingsIn } from "./surroundings.js";

const USER = "/user.slice/user-1000.slice/user@1000.service";

describe("what ends together with a process", () => {
  test.each([
    ["a user's service", `0::${USER}/app.slice/baton.service\n`, 1000, "user"],
    ["a group that the service made", `0::${USER}/app.slice/baton.service/payload\n`, 1000, "user"],
    ["root's own service", "0::/user.slice/user-0.slice/user@0.service/app.slice/baton.service\n", 0, "user"],
    ["a system service of root", "0::/system.slice/baton.service\n", 0, "system"],
    ["a system service of another user", "0::/system.slice/baton.service\n", 1000, "user"],
    ["version 1", `11:pids:/system.slice\n1:name=systemd:/system.slice/baton.service\n`, 0, "system"],
    ["both versions", `1:name=systemd:${USER}/baton.service\n0::${USER}/baton.service\n`, 1000, "user"],
    ["a service of a manager in a container", "0::/system.slice/baton.service\n", 0, "system"],
  ] as const)("%s", (_, cgroup, uid, manager) => {
    for (const isMain of [true, false])
      expect(surroundingsIn(cgroup, uid, isMain)).toEqual({ kind: "service", manager });
  });

  test.each([
    ["a login", "0::/user.slice/user-1000.slice/session-3.scope\n"],
    ["a terminal", `0::${USER}/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope\n`],
    ["the user's manager itself", `0::${USER}/init.scope\n`],
    ["a scope that a service made", "0::/system.slice/a.service/b.scope\n"],
    ["no unit", "0::/\n"],
    ["a controller's group, which says nothing", "4:memory:/system.slice/baton.service\n0::/\n"],
    ["no control groups", ""],
  ])("%s lives on, unless it is the main process of a container", (_, cgroup) => {
    expect(surroundingsIn(cgroup, 1000, false)).toEqual({ kind: "free" });
    expect(surroundingsIn(cgroup, 1000, true)).toEqual({ kind: "container" });
  });
});
