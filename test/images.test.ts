/**
 * The whole journey of an image: somebody sends it on Telegram, the gateway keeps it, and a model is sent the very bytes,
 * over both protocols; also when it is asked again, and with what is said next.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TelegramAdapter } from "../src/adapter/telegram/adapter.js";
import { aiSdkAgent } from "../src/agent/ai-sdk/ai-sdk.js";
import { commandTable } from "../src/gateway/commands/table.js";
import { mediaPath } from "../src/gateway/media.js";
import { type OpenGateway, openGateway } from "../src/open-gateway.js";
import { ModelServer, type SeenRequest } from "./support/model-server.js";
import { TelegramServer } from "./support/telegram-server.js";

const ANN = 100001;
/** Of every value that a byte can have. */
const PHOTO = Buffer.from([0xff, 0xd8, 0xff, ...Array.from({ length: 512 }, (_, n) => n % 256)]);
const DRAWING = Buffer.from([
  0x89,
  0x50,
  0x4e,
  0x47,
  ...Array.from({ length: 300 }, (_, n) => 255 - (n % 256)),
]);
const NO_IMAGE = "(An image was attached here, but this model can't read images.)";

interface Seen {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

describe.each(["openai", "anthropic"] as const)("over %s", (protocol) => {
  let folder: string;
  let telegram: TelegramServer;
  let model: ModelServer;
  let open: OpenGateway;
  const problems: string[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-images-"));
    telegram = await TelegramServer.start();
    model = await ModelServer.start();
    problems.length = 0;
  });
  afterEach(async () => {
    await open.close({ drainMs: 0 });
    await Promise.all([telegram.close(), model.close()]);
    rmSync(folder, { recursive: true });
  });

  async function serve(images = true): Promise<void> {
    const agent = aiSdkAgent({
      endpoint: {
        protocol,
        baseUrl: model.url,
        model: "m",
        images,
        apiKey: () => "key",
        keySetting: "KEY",
        contextTokens: 128_000,
      },
      maxSteps: 5,
      prices: {},
      pathOf: (file) => mediaPath(join(folder, "media"), file),
    });
    open = await openGateway({
      url: join(folder, "baton.db"),
      agent,
      adapters: [new TelegramAdapter({ token: () => telegram.token, baseUrl: telegram.url })],
      commands: commandTable({ agent: "", clock: Date.now }),
      people: { allow: { telegram: [String(ANN)] } },
      files: { folder: join(folder, "media") },
      titles: "none",
      onProblem: (problem) => problems.push(problem),
    });
    await open.gateway.start();
  }

  /** As Telegram delivers it: a photo in its sizes, or a file as it is. */
  async function send(caption: string, content: object): Promise<void> {
    await telegram.deliver({
      chatId: String(ANN),
      fromId: ANN,
      text: "-",
      as: ({ update_id, message }) => ({
        update_id,
        message: { ...message, text: undefined, ...(caption ? { caption } : {}), ...content },
      }),
    });
  }

  async function sendPhoto(caption: string): Promise<void> {
    telegram.files.set("small", Buffer.from("small"));
    telegram.files.set("large", PHOTO);
    const photo = [
      { file_id: "small", width: 90, height: 90, file_size: 5 },
      { file_id: "large", width: 900, height: 900, file_size: PHOTO.length },
    ];
    await send(caption, { photo });
  }

  async function sendDrawing(caption: string): Promise<void> {
    telegram.files.set("drawing", DRAWING);
    const document = {
      file_id: "drawing",
      file_name: "plan.png",
      mime_type: "image/png",
      file_size: DRAWING.length,
    };
    await send(caption, { document });
  }

  const say = (text: string) => telegram.deliver({ chatId: String(ANN), fromId: ANN, text });
  const told = (text: string) =>
    telegram.until(() => telegram.sentTo(String(ANN)).some((sent) => sent.text === text));
  const lastRequest = (): SeenRequest["body"] => model.requests.at(-1)?.body;

  /** The images of a message of the conversation, as the protocol has them. */
  function imagesIn(message: { content: unknown } | undefined): Seen[] {
    const parts = Array.isArray(message?.content) ? message.content : [];
    return parts.flatMap((part): Seen[] => {
      if (part.type === "image")
        return [{ mediaType: part.source.media_type, bytes: decoded(part.source.data) }];
      if (part.type !== "image_url") return [];
      const [, mediaType = "", data = ""] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url.url) ?? [];
      return [{ mediaType, bytes: decoded(data) }];
    });
  }

  it("a photo and a file come as they were sent, on /retry and with what is said next", async () => {
    await serve();
    model.play({ text: "A view." });
    await sendPhoto("what is this?");
    await told("A view.");
    const [asked] = users(lastRequest());
    expect(imagesIn(asked)).toEqual([{ mediaType: "image/jpeg", bytes: PHOTO }]);
    expect(JSON.stringify(asked)).toContain("what is this?");

    model.play({ text: "A nice view." });
    await say("/retry");
    await told("A nice view.");
    expect(users(lastRequest()).map(imagesIn)).toEqual([[{ mediaType: "image/jpeg", bytes: PHOTO }]]);

    model.play({ text: "A plan." });
    await sendDrawing("");
    await told("A plan.");
    expect(users(lastRequest()).map(imagesIn)).toEqual([
      [{ mediaType: "image/jpeg", bytes: PHOTO }],
      [{ mediaType: "image/png", bytes: DRAWING }],
    ]);

    model.play({ text: "Both." });
    await say("which is older?");
    await told("Both.");
    expect(users(lastRequest()).map((message) => imagesIn(message).length)).toEqual([1, 1, 0]);

    const kept = readdirSync(join(folder, "media")).map((file) => readFileSync(join(folder, "media", file)));
    expect(kept).toHaveLength(2);
    expect(kept).toEqual(expect.arrayContaining([PHOTO, DRAWING]));
    expect(problems).toEqual([]);
  });

  it("a model that takes none is told that there was one", async () => {
    await serve(false);
    model.play({ text: "I cannot see." });
    await sendPhoto("what is this?");
    await told("I cannot see.");
    const [asked] = users(lastRequest());
    expect(imagesIn(asked)).toEqual([]);
    expect(JSON.stringify(asked)).toContain(NO_IMAGE);
    expect(JSON.stringify(asked)).toContain("what is this?");
  });

  it("one that refuses them is asked again with the line instead", async () => {
    await serve();
    model.play(
      { status: 400, message: "This model does not support image input." },
      { text: "I cannot see." },
    );
    await sendPhoto("what is this?");
    await told("I cannot see.");
    expect(model.requests.map(({ body }) => users(body).map(imagesIn))).toEqual([
      [[{ mediaType: "image/jpeg", bytes: PHOTO }]],
      [[]],
    ]);
    expect(JSON.stringify(lastRequest())).toContain(NO_IMAGE);
  });

  it("one whose file is gone is told so, and the rest goes on", async () => {
    await serve();
    model.play({ text: "A view." });
    await sendPhoto("what is this?");
    await told("A view.");
    for (const file of readdirSync(join(folder, "media"))) writeFileSync(join(folder, "media", file), "");
    model.play({ text: "It is gone." });
    await say("and now?");
    await told("It is gone.");
    expect(JSON.stringify(lastRequest())).toContain("(An image was attached here, but it can't be read.)");
  });
});

function users(body: SeenRequest["body"]): { content: unknown }[] {
  return body.messages.filter(({ role }: { role: string }) => role === "user");
}

function decoded(data: string): Buffer {
  return Buffer.from(data, "base64");
}
