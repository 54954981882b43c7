import { describe, expect, it } from "vitest";
import { atLeast, highest, ROLES, toolsFor } from "./permissions.js";

const tools = [
  ..."terminal read_file write_file edit_file list_files search_files".split(" "),
  ..."fetch_url session_search session_read send_message files_read_text".split(" "),
].map((name) => ({ name }));

const names = (...call: Parameters<typeof toolsFor>) => toolsFor(...call).map(({ name }) => name);
const on = (role: (typeof ROLES)[number], platform = "telegram") => ({ role, platform });

describe("roles", () => {
  it("are ordered", () => {
    const order = ROLES.map((role) => ROLES.map((needed) => Number(atLeast(role, needed))).join(""));
    expect(order).toEqual(["100", "110", "111"]);
    expect(highest(["guest", null, "member"])).toBe("member");
    expect(highest([null])).toBeNull();
  });
});

describe("tools", () => {
  it("a guest has none that touch files, run commands, write to others or come from elsewhere", () => {
    expect(names(on("guest"), tools, {})).toEqual(["fetch_url", "session_search", "session_read"]);
  });

  it("a member can also write to their own chats, an owner has all", () => {
    expect(names(on("member"), tools, {})).toEqual([
      "fetch_url",
      "session_search",
      "session_read",
      "send_message",
    ]);
    expect(names(on("owner"), tools, {})).toHaveLength(tools.length);
  });

  it("lists decide instead, by exact names, and a platform's list holds for everybody there", () => {
    const lists = {
      guests: ["read_file", "*", "files_"],
      members: ["terminal"],
      byPlatform: { discord: ["fetch_url", "terminal", "read_file"] },
    };
    expect(names(on("guest"), tools, lists)).toEqual(["read_file"]);
    expect(names(on("member"), tools, lists)).toEqual(["terminal"]);
    expect(names(on("owner"), tools, lists)).toHaveLength(tools.length);
    expect(names(on("guest", "discord"), tools, lists)).toEqual(["read_file"]);
    expect(names(on("owner", "discord"), tools, lists)).toEqual(["terminal", "read_file", "fetch_url"]);
    expect(names(on("owner", "constructor"), tools, lists)).toHaveLength(tools.length);
    expect(names(on("guest"), tools, { guests: [] })).toEqual([]);
  });
});
