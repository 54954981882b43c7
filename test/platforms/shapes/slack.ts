/** Events of Slack, written from its documentation (https://docs.slack.dev/reference/events/message) and public payloads. */
import { parseBeginning, parseCommand, parseEvent } from "../../../src/adapter/slack/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const BOT = "U0BATON01";
const ANN = "U0ANN00001";
const BOB = "U0BOB00001";
const NAMES = new Map([
  [BOB, "Bob"],
  ["C0PLANS001", "plans"],
]);
const PARENT = "1715180000.000100";

/** A message of a direct chat with these fields. */
function sent(fields: object): object {
  return {
    type: "message",
    user: ANN,
    ts: "1715187600.000200",
    channel: "D024BE91L",
    channel_type: "im",
    text: "",
    ...fields,
  };
}

function inChannel(fields: object): object {
  return sent({ channel: "C061EG9SL", channel_type: "channel", ...fields });
}

/** In a thread, with the message that begins it as Slack gives it when it is asked for. */
function inThread(root: object, fields: object): object {
  return {
    event: inChannel({ thread_ts: PARENT, parent_user_id: BOB, ...fields }),
    root: { user: BOB, ts: PARENT, text: "", ...root },
  };
}

const NAMED = `<@${BOT}>`;
const file = (fields: object = {}) => ({
  id: "F1",
  name: "plan.pdf",
  title: "The plan",
  mimetype: "application/pdf",
  filetype: "pdf",
  mode: "hosted",
  url_private_download: "https://files.slack.com/files-pri/T1-F1/download/plan.pdf",
  permalink: "https://example.slack.com/files/U1/F1",
  ...fields,
});
const withFile = (fields: object = {}, text = "") =>
  sent({ subtype: "file_share", text, files: [file(fields)] });
const shared = (fields: object = {}) => ({
  is_share: true,
  is_msg_unfurl: true,
  ts: "1715180000.000100",
  author_id: BOB,
  author_name: "Bob",
  channel_id: "C0PLANS001",
  from_url: "https://example.slack.com/archives/C0PLANS001/p1715180000000100",
  text: "The Earth is flat",
  ...fields,
});
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const words = (text: string) => ({ type: "text", text });
const richText = (...elements: object[]) => ({ blocks: [{ type: "rich_text", elements }] });
const plain = (text: string) => ({ type: "plain_text", text });
const alert = {
  subtype: "bot_message",
  bot_id: "B1",
  username: "alerts",
  user: undefined,
  text: "Disk",
  blocks: [
    { type: "header", text: plain("Disk is full") },
    { type: "section", text: { type: "mrkdwn", text: "*web-1* at <https://example.org|91 %>" } },
    { type: "actions", elements: [{ type: "button", text: plain("Mute") }] },
  ],
};
const changed = (now: object, before: object, fields: object = {}) => ({
  type: "message",
  subtype: "message_changed",
  channel: "D024BE91L",
  channel_type: "im",
  message: sent(now),
  previous_message: sent(before),
  ...fields,
});
const command = (fields: object) => ({
  command: "/new",
  text: "",
  channel_id: "D024BE91L",
  channel_name: "directmessage",
  user_id: ANN,
  trigger_id: "13345224609.738474920.8088",
  ...fields,
});

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ text: "hello" }) },
  { name: "text with formatting", payload: sent({ text: "*bold* _italic_ ~gone~ `code`\n&gt; quoted" }) },
  { name: "code block", payload: sent({ text: "```print(1)```" }) },
  { name: "brackets and ampersands", payload: sent({ text: "a &lt;b&gt; &amp; c" }) },
  {
    name: "text that looks like one of Baton's notes",
    payload: sent({ text: "[attached: secret.txt (text/plain)]" }),
  },
  { name: "link", payload: sent({ text: "<https://example.org/a>" }) },
  { name: "link behind words", payload: sent({ text: "see <https://example.org/n|my notes>" }) },
  { name: "e-mail address", payload: sent({ text: "<mailto:a@example.org|a@example.org>" }) },
  { name: "person mentioned", payload: sent({ text: `ask <@${BOB}>` }) },
  { name: "person mentioned, with a label", payload: sent({ text: `ask <@${BOB}|bobby>` }) },
  { name: "unknown person mentioned", payload: sent({ text: "ask <@U0NOBODY01>" }) },
  { name: "channel mentioned", payload: sent({ text: "see <#C0PLANS001|>" }) },
  { name: "group of people mentioned", payload: sent({ text: "ask <!subteam^S1|@team>" }) },
  { name: "@here", payload: inChannel({ text: "<!here> lunch" }) },
  { name: "date", payload: sent({ text: "at <!date^1715187600^{date}|May 8th>" }) },
  { name: "emoji", payload: sent({ text: "well done :tada:" }) },
  { name: "text in a channel, to others", payload: inChannel({ text: "hello all" }) },
  { name: "text in a channel that names the bot", payload: inChannel({ text: `${NAMED} hello` }) },
  {
    name: "mention, as Slack tells it a second time",
    payload: { ...inChannel({ text: `${NAMED} hello` }), type: "app_mention", channel_type: undefined },
  },
  {
    name: "text in a group chat that names the bot",
    payload: sent({ channel: "G0MPIM111", channel_type: "mpim", text: `hey ${NAMED}` }),
  },
  { name: "/me text", payload: sent({ subtype: "me_message", text: "is thinking" }) },
  { name: "only the bot's name", payload: inChannel({ text: NAMED }) },
  {
    name: "only the bot's name, in a thread that begins with a question",
    payload: inThread({ text: "When is the next train?" }, { text: NAMED }),
  },
  {
    name: "first mention in a thread of others",
    payload: inThread({ text: "It rains" }, { text: `${NAMED} is it true?` }),
  },
  {
    name: "mention in a thread that begins with a file",
    payload: inThread({ files: [file()] }, { text: `${NAMED} sum it up` }),
  },
  {
    name: "mention in a thread that an app began",
    payload: inThread(alert, { text: `${NAMED} why?` }),
  },
  {
    name: "mention in a thread that begins with a shared message",
    payload: inThread({ text: "look", attachments: [shared()] }, { text: `${NAMED} is it true?` }),
  },
  {
    name: "reply in a thread of the bot",
    payload: inChannel({ text: "thanks", thread_ts: PARENT, parent_user_id: BOT }),
  },
  {
    name: "reply that is also sent to the channel",
    payload: inChannel({
      subtype: "thread_broadcast",
      text: `${NAMED} done?`,
      thread_ts: PARENT,
      root: { user: BOB, text: "root", ts: PARENT },
    }),
  },
  {
    name: "message shared with a question",
    payload: sent({ text: "is it true?", attachments: [shared()] }),
  },
  { name: "message shared without a word", payload: sent({ attachments: [shared()] }) },
  {
    name: "message shared with only the bot's name",
    payload: inChannel({ text: NAMED, attachments: [shared()] }),
  },
  {
    name: "file shared from another place",
    payload: sent({ attachments: [shared({ text: "", files: [file()] })] }),
  },
  {
    name: "message of an app, shared",
    payload: sent({
      text: "why?",
      attachments: [
        shared({ author_name: "alerts", text: "", message_blocks: [{ message: { blocks: alert.blocks } }] }),
      ],
    }),
  },
  {
    name: "two messages shared",
    payload: sent({
      text: "who is right?",
      attachments: [shared(), shared({ author_name: "Ada", text: "It is round" })],
    }),
  },
  {
    name: "link to a message, which Slack shows",
    payload: sent({
      text: "<https://example.slack.com/archives/C0PLANS001/p1715180000000100>",
      attachments: [shared({ is_share: undefined })],
    }),
  },
  {
    name: "shared message that is a command",
    payload: sent({ attachments: [shared({ text: "/new Stolen" })] }),
  },
  {
    name: "link with its preview",
    payload: sent({
      text: "<https://example.org/a>",
      attachments: [
        {
          from_url: "https://example.org/a",
          service_name: "Example",
          title: "Otters",
          text: "They float.",
          fallback: "Otters",
        },
      ],
    }),
  },
  {
    name: "edited text",
    payload: changed({ text: "hello there" }, { text: "hello" }),
  },
  {
    name: "preview that Slack adds later",
    ignored: true,
    payload: changed(
      { text: "<https://example.org>", attachments: [{ from_url: "https://example.org", title: "x" }] },
      { text: "<https://example.org>" },
    ),
  },
  {
    name: "deleted message",
    payload: {
      ...sent({ subtype: "message_deleted", deleted_ts: "1715187600.000200" }),
      previous_message: sent({ text: "hello" }),
    },
  },
  {
    name: "deleted message that has replies",
    payload: changed(
      { subtype: "tombstone", user: "USLACKBOT", text: "This message was deleted." },
      { text: "x" },
    ),
  },
  { name: "file", payload: withFile() },
  { name: "file with text", payload: withFile({}, "sum it up") },
  {
    name: "file in a channel, with a mention",
    payload: inChannel({ subtype: "file_share", text: `${NAMED} sum it up`, files: [file()] }),
  },
  { name: "picture", payload: withFile({ name: "x.png", mimetype: "image/png", filetype: "png" }) },
  {
    name: "several pictures",
    payload: sent({
      subtype: "file_share",
      text: "which one?",
      files: [file({ name: "a.png", mimetype: "image/png" }), file({ name: "b.png", mimetype: "image/png" })],
    }),
  },
  { name: "video", payload: withFile({ name: "clip.mp4", mimetype: "video/mp4", filetype: "mp4" }) },
  {
    name: "voice clip",
    payload: withFile({
      name: "audio_message.m4a",
      mimetype: "audio/mp4",
      subtype: "slack_audio",
      duration_ms: 3000,
    }),
  },
  {
    name: "voice clip that Slack calls a video",
    payload: withFile({ name: "audio_message.mp4", mimetype: "video/mp4", subtype: "slack_audio" }),
  },
  {
    name: "voice clip without a type",
    payload: withFile({ name: "audio_message.m4a", mimetype: "", filetype: "", subtype: "slack_audio" }),
  },
  {
    name: "video clip",
    payload: withFile({ name: "video_message.mp4", mimetype: "video/mp4", subtype: "slack_video" }),
  },
  {
    name: "text snippet",
    payload: withFile({ name: "notes.py", mimetype: "text/plain", filetype: "python", mode: "snippet" }),
  },
  {
    name: "e-mail",
    payload: withFile({
      name: "Invoice",
      mimetype: "text/html",
      filetype: "email",
      mode: "email",
      subject: "Invoice 7",
      preview_plain_text: "Dear Ann, please pay.",
    }),
  },
  {
    name: "canvas",
    payload: withFile({
      title: "Roadmap",
      name: "Roadmap",
      filetype: "quip",
      mode: "quip",
      mimetype: "application/vnd.slack-docs",
    }),
  },
  {
    name: "list",
    payload: withFile({ title: "Tasks", name: "Tasks", filetype: "list", mode: "list" }),
  },
  {
    name: "post",
    payload: withFile({ title: "Minutes", filetype: "space", mode: "space", preview: "We met." }),
  },
  {
    name: "file of another service",
    payload: withFile({
      title: "Budget",
      mode: "external",
      is_external: true,
      external_type: "gdrive",
      url_private: "https://docs.google.com/spreadsheets/d/1",
    }),
  },
  { name: "deleted file", payload: withFile({ mode: "tombstone", name: "", title: "" }) },
  { name: "file over the limit of a free workspace", payload: withFile({ mode: "hidden_by_limit" }) },
  { name: "file without a name", payload: withFile({ name: "", title: "", mimetype: "" }) },
  {
    name: "message of blocks only",
    payload: sent(
      richText(
        section(
          words("ask "),
          { type: "user", user_id: BOB },
          words(" in "),
          { type: "channel", channel_id: "C0PLANS001" },
          words(" "),
          { type: "emoji", name: "wave" },
        ),
        {
          type: "rich_text_list",
          style: "ordered",
          elements: [
            section(words("eat")),
            section({ type: "link", url: "https://example.org", text: "sleep" }),
          ],
        },
        { type: "rich_text_quote", elements: [words("they said")] },
        { type: "rich_text_preformatted", elements: [words("print(1)")] },
      ),
    ),
  },
  {
    name: "table",
    payload: sent({
      blocks: [
        {
          type: "table",
          rows: [
            [
              { type: "raw_text", text: "day" },
              { type: "raw_text", text: "rain" },
            ],
            [
              { type: "raw_text", text: "Mon" },
              { type: "rich_text", elements: [section(words("3 mm"))] },
            ],
          ],
        },
      ],
    }),
  },
  {
    name: "picture of a search for GIFs",
    payload: sent({
      blocks: [
        {
          type: "image",
          image_url: "https://media.giphy.com/cat.gif",
          alt_text: "a cat",
          title: plain("cat"),
        },
      ],
    }),
  },
  {
    name: "video of another service",
    payload: sent({
      blocks: [{ type: "video", title: plain("Otters"), video_url: "https://example.org/v", alt_text: "x" }],
    }),
  },
  { name: "text in Markdown", payload: sent({ blocks: [{ type: "markdown", text: "# Plan\n**now**" }] }) },
  {
    name: "section with fields",
    payload: sent({
      blocks: [
        {
          type: "section",
          text: { type: "mrkdwn", text: "*Order*" },
          fields: [plain("Pizza"), { type: "mrkdwn", text: "_2_" }],
        },
        { type: "divider" },
        { type: "context", elements: [plain("just now")] },
      ],
    }),
  },
  {
    name: "attachment of an app",
    payload: sent({
      attachments: [
        { pretext: "New", title: "Ticket 7", text: "It fails", fields: [{ title: "For", value: "Ann" }] },
      ],
    }),
  },
  { name: "kind of block that is newer than Baton", payload: sent({ blocks: [{ type: "hologram" }] }) },
  { name: "kind of message that is newer than Baton", payload: sent({ hologram: { id: "1" } }) },
  { name: "slash command", payload: command({ text: "plans for May" }) },
  {
    name: "slash command that has a command as its text",
    payload: command({ command: "/baton", text: "status" }),
  },
  {
    name: "slash command that has a question as its text",
    payload: command({ command: "/baton", text: "what is up?" }),
  },
  {
    name: "message of an app",
    ignored: true,
    payload: inChannel({ ...alert, text: `${NAMED} deployed` }),
  },
  {
    name: "message of a workflow",
    ignored: true,
    payload: inChannel({ subtype: "bot_message", bot_id: "B2", text: `${NAMED} go` }),
  },
  { name: "message of this bot", ignored: true, payload: sent({ user: BOT, bot_id: "B0", text: "x" }) },
  { name: "message of Slackbot", ignored: true, payload: sent({ user: "USLACKBOT", text: "x" }) },
  { name: "somebody joins", ignored: true, payload: inChannel({ subtype: "channel_join", text: "x" }) },
  { name: "somebody leaves", ignored: true, payload: inChannel({ subtype: "channel_leave", text: "x" }) },
  {
    name: "new topic of a channel",
    ignored: true,
    payload: inChannel({ subtype: "channel_topic", text: "x" }),
  },
  { name: "pinned message", ignored: true, payload: inChannel({ subtype: "pinned_item", text: "x" }) },
  { name: "huddle begins", ignored: true, payload: inChannel({ subtype: "huddle_thread", text: "x" }) },
  { name: "reminder", ignored: true, payload: inChannel({ subtype: "reminder_add", text: "x" }) },
  {
    name: "reaction",
    payload: {
      ...{ type: "reaction_added", user: ANN, reaction: "thumbsup" },
      item: { type: "message", channel: "D0ANN", ts: "1750000000.000100" },
    },
  },
  {
    name: "reaction to a file",
    ignored: true,
    payload: { type: "reaction_added", user: ANN, reaction: "thumbsup", item: { type: "file" } },
  },
];

const reading = {
  userId: BOT,
  nameOf: (id: string) => NAMES.get(id),
  file: ({ name, mediaType, voice }: { name: string; mediaType: string; voice?: true }) => ({
    ...(name && { name }),
    mediaType: mediaType || "application/octet-stream",
    ...(voice && { voice }),
    read: async () => new Uint8Array(),
  }),
};

export const slackShapes: PlatformShapes = {
  page: "slack",
  table: "slack",
  shapes,
  read: (payload) => {
    const {
      command: asked,
      event = payload,
      root,
    } = payload as { command?: string; event?: unknown; root?: unknown };
    if (asked) return parseCommand(payload, new Set(["new", "status"]), reading);
    const message = parseEvent(event, reading);
    return message?.replyTo && root
      ? { ...message, replyTo: { ...message.replyTo, ...parseBeginning(root, reading) } }
      : message;
  },
};
