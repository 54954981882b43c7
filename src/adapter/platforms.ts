/** The platforms that come with Baton, a line each, in the order in which they are shown. Each registers its manifest. */
import "./telegram/manifest.js";
import "./discord/manifest.js";
import "./slack/manifest.js";
import "./whatsapp/manifest.js";
import "./signal/manifest.js";
import "./matrix/manifest.js";
import "./mattermost/manifest.js";
import "./feishu/manifest.js";
import "./web/web-source.js";
