/** `baton people`. */
import { ROLES } from "../../gateway/permissions.js";
import { EXAMPLE_IDENTITY, identity, OTHER_IDENTITY, role, whom } from "../people/who.js";
import { type Argument, JSON_FLAG, type Verb } from "../verb.js";

const WHO: Argument = {
  name: "<who>",
  description: `the id of a person, or one of their accounts, such as ${EXAMPLE_IDENTITY}`,
  parse: whom,
};

export const people: Verb = {
  name: "people",
  description: "decide who may talk to the agent, with which role, and which accounts belong together",
  examples: ["people list", "people approve K7QX9M2P --role member"],
  verbs: [
    {
      name: "list",
      description: "list the people who have access, their roles, and who is asking for access",
      options: [JSON_FLAG],
      examples: ["people list"],
      run: async () => (await import("../people/list.js")).listPeople,
    },
    {
      name: "limits",
      description: "show the limits of each person, and how much of today's they have used",
      options: [JSON_FLAG],
      examples: ["people limits"],
      run: async () => (await import("../people/limits.js")).limits,
    },
    {
      name: "approve",
      description: "give access to the person who got this code",
      args: [{ name: "<code>", description: "the code that they gave you" }],
      options: [
        {
          flags: "--role <role>",
          description: `their role: ${ROLES.join(", ")} (default: guest)`,
          parse: role,
        },
        { flags: "--name <name>", description: "a name for them" },
        JSON_FLAG,
      ],
      examples: ["people approve K7QX9M2P", "people approve K7QX9M2P --role member --name Ann"],
      run: async () => (await import("../people/decide.js")).approve,
    },
    {
      name: "deny",
      description: "refuse a person who asks for access, and stop answering them until you forget them",
      args: [{ name: "<who>", description: "their code or their account" }],
      options: [JSON_FLAG],
      examples: ["people deny K7QX9M2P", `people deny ${EXAMPLE_IDENTITY}`],
      run: async () => (await import("../people/decide.js")).deny,
    },
    {
      name: "link",
      description: "link two accounts as one person, keeping the higher role",
      args: [
        { name: "<identity>", description: "the account of a person who has access", parse: identity },
        { name: "<other>", description: "their other account", parse: identity },
      ],
      options: [JSON_FLAG],
      examples: [`people link ${EXAMPLE_IDENTITY} ${OTHER_IDENTITY}`],
      run: async () => (await import("../people/link.js")).link,
    },
    {
      name: "unlink",
      description: "separate an account from a person again, with the role it had before",
      args: [{ name: "<identity>", description: "one account of a person who has several", parse: identity }],
      options: [JSON_FLAG],
      examples: [`people unlink ${EXAMPLE_IDENTITY}`],
      run: async () => (await import("../people/link.js")).unlink,
    },
    {
      name: "role",
      description: "make a person an owner, a member or a guest, starting with their next message",
      args: [WHO, { name: "<role>", description: ROLES.join(", "), parse: role }],
      options: [JSON_FLAG],
      examples: [`people role ${EXAMPLE_IDENTITY} member`],
      run: async () => (await import("../people/keep.js")).setRole,
    },
    {
      name: "devices",
      description: "list the browsers in which people are signed in to the page, or sign them out",
      options: [JSON_FLAG],
      examples: ["people devices", `people devices revoke ${EXAMPLE_IDENTITY}`],
      run: async () => (await import("../people/devices.js")).listDevices,
      verbs: [
        {
          name: "list",
          description: "list the browsers in which people are signed in, last seen first",
          options: [JSON_FLAG],
          examples: ["people devices list"],
          run: async () => (await import("../people/devices.js")).listDevices,
        },
        {
          name: "revoke",
          description: "sign out one browser, or all browsers of a person",
          args: [
            {
              name: "<which>",
              description: `the id of a device, the start of its id, the id of a person, or one of their accounts, such as ${EXAMPLE_IDENTITY}`,
            },
          ],
          options: [JSON_FLAG],
          examples: ["people devices revoke 4f2c", `people devices revoke ${EXAMPLE_IDENTITY}`],
          run: async () => (await import("../people/devices.js")).revokeDevices,
        },
      ],
    },
    {
      name: "forget",
      description:
        "remove a person's access on all their accounts; their conversations stay, without --erase",
      args: [WHO],
      options: [
        {
          flags: "--erase",
          description:
            "also erase what they said and what is theirs: sessions, files, jobs, processes, usage; then scan for the rest",
        },
        { flags: "--dry-run", description: "with --erase: only show what would be erased" },
        { flags: "--yes", description: "with --erase: do not ask for confirmation" },
        JSON_FLAG,
      ],
      notes:
        "An erase that was cut off is finished by running it again. In conversations with others, only the person's own messages are erased. Backups, archives and logs stay: Baton lists those that you have to delete.",
      examples: [`people forget ${EXAMPLE_IDENTITY}`, `people forget ${EXAMPLE_IDENTITY} --erase --dry-run`],
      run: async () => (await import("../people/keep.js")).forget,
    },
  ],
};
