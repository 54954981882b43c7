/** The adapter's contract, played by a real Synapse: everything there is, with a front that makes the trouble. */
import { MatrixAdapter } from "../../src/adapter/matrix/adapter.js";
import type { Address } from "../../src/session/source.js";
import type { AdapterFixture, DoorFault, Fault, Trouble } from "../../src/testing/adapter/fixture.js";
import { MatrixFront } from "./matrix-front.js";
import { answeredBy, marksOn, rootsIn, type Said, shownTexts } from "./matrix-room.js";
import { type RoomEvent, SynapseUser } from "./synapse.js";

let people: Promise<readonly [SynapseUser, SynapseUser]> | undefined;

/** The same for all tests of a file, each of which has rooms, and a bot, of its own. */
function annAndBob(homeserver: string): NonNullable<typeof people> {
  people ??= Promise.all([SynapseUser.register(homeserver, "ann"), SynapseUser.register(homeserver, "bob")]);
  return people;
}

export async function synapseFixture(homeserver: string): Promise<AdapterFixture> {
  const front = new MatrixFront(homeserver, { plays: false });
  const before = await front.open();
  const [ann, bob] = await annAndBob(homeserver);
  // Synapse answers a first sync from its memory for two minutes: another test's bot would begin too early.
  const bot = await SynapseUser.register(homeserver, "bot");
  const dm = await ann.createRoom([bot.userId], { is_direct: true });
  const group = await ann.createRoom([bot.userId, bob.userId], { name: "Team" });
  const others = await ann.createRoom([bob.userId]);
  for (const [who, room] of [
    [bot, dm],
    [bot, group],
    [bob, group],
  ] as const)
    await who.join(room);
  const root = await ann.send(group, { msgtype: "m.text", body: "here we are" });

  const make = () =>
    front.watch(new MatrixAdapter({ homeserver: before, accessToken: () => bot.token, timeoutMs: 3_000 }));
  const events = async ({ chatId, threadId }: Address = { platform: "matrix", chatId: dm }) =>
    (await ann.events(chatId)).filter(
      ({ sender, content }) =>
        sender === bot.userId && (!threadId || relationOf(content).event_id === threadId),
    );
  const write = async (written: Said): Promise<string> => {
    const {
      text,
      in: where = "dm",
      from,
      mentions,
      replyTo,
      files = [],
      isBot,
      threadId = root,
      name,
    } = written;
    const who = from === undefined || from === "ann" || where === "dm" ? ann : bob;
    const thread = {
      rel_type: "m.thread",
      event_id: threadId,
      is_falling_back: true,
      "m.in_reply_to": { event_id: threadId },
    };
    const relation = {
      ...(where === "thread" ? thread : {}),
      ...(replyTo ? { is_falling_back: false, "m.in_reply_to": { event_id: replyTo } } : {}),
    };
    const [file] = files;
    if (name !== undefined) await who.rename(where === "dm" ? dm : group, name);
    return who.send(where === "dm" ? dm : group, {
      msgtype: file ? "m.file" : isBot ? "m.notice" : "m.text",
      body: mentions ? `${bot.userId}: ${text}` : text || file?.name || "",
      ...(file
        ? {
            filename: file.name,
            url: await who.upload(file.bytes, file.mediaType),
            info: { mimetype: file.mediaType, size: file.bytes.byteLength },
          }
        : {}),
      ...(mentions ? { "m.mentions": { user_ids: [bot.userId] } } : {}),
      ...(Object.keys(relation).length > 0 ? { "m.relates_to": relation } : {}),
    });
  };
  const fixture = {
    adapter: make(),
    address: { platform: "matrix", chatId: dm },
    group: { platform: "matrix", chatId: group },
    nowhere: { platform: "matrix", chatId: others },
    again: make,
    write: async (written: Said) => {
      const messageId = await write(written);
      await front.told(messageId);
      return { messageId };
    },
    amend: async (messageId: string, text: string) =>
      front.told(
        await ann.send(dm, {
          msgtype: "m.text",
          body: `* ${text}`,
          "m.new_content": { msgtype: "m.text", body: text },
          "m.relates_to": { rel_type: "m.replace", event_id: messageId },
        }),
      ),
    react: async (event_id: string, key: string, { in: where, from }: Partial<Said> = {}) => {
      const content = { "m.relates_to": { rel_type: "m.annotation", event_id, key } };
      const room = where === "group" ? group : dm;
      await front.told(await (from === "bob" ? bob : ann).send(room, content, "m.reaction"));
    },
    redeliver: () => front.redeliver(),
    isAcknowledged: (messageId: string) => front.isAcknowledged(messageId),
    answeredBy: async (messageId: string) =>
      answeredBy(messageId, [...(await ann.events(dm)), ...(await ann.events(group))]),
    shown: async (address?: Address) => shownTexts(await events(address)),
    files: async (address?: Address) =>
      Promise.all(
        (await events(address)).flatMap(({ content }) =>
          typeof content.url === "string"
            ? [
                ann.download(content.url).then((bytes) => ({
                  name: String(content.filename),
                  bytes,
                  voice: "org.matrix.msc3245.voice" in content,
                })),
              ]
            : [],
        ),
      ),
    typed: () => front.typed,
    marks: async (messageId: string) =>
      marksOn(messageId, [...(await ann.events(dm)), ...(await ann.events(group))]),
    threads: async (parent: Address) => rootsIn(await events(parent)),
    trouble: (what: Trouble) => front.trouble(what),
    way: (fault: Fault) => front.faults.play(fault),
    door: (fault: DoorFault) => front.faults.door(fault),
    cut: () => front.cut(),
    dispose: () => front.close(),
  };
  return fixture;
}

function relationOf(content: RoomEvent["content"]): { readonly event_id?: string } {
  return (content["m.relates_to"] ?? {}) as { readonly event_id?: string };
}
