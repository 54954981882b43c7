/** Everything that the page may ask for beside the chat itself, put together. */
import type { WebApp } from "../adapter/web/answers.js";
import { type Later, later as usualLater } from "../util/later.js";
import { chatRoutes } from "./chat.js";
import { conversationRoutes } from "./conversations.js";
import { dashboardRoutes } from "./dashboard/routes.js";
import { enteringRoutes } from "./entering.js";
import { feedPages } from "./feed.js";
import { messageFileRoutes } from "./message-files.js";
import { Routes } from "./routes.js";
import { searchRoutes } from "./search.js";
import type { OpenPages, WebSetting } from "./setting.js";
import type { SignIn } from "./sign-in.js";

/** Returns what ends it: the page is served no longer. */
export function webRoutes(
  app: WebApp,
  pages: OpenPages,
  signIn: SignIn,
  setting: WebSetting,
  later: Later = usualLater,
): () => void {
  const routes = new Routes(app, setting, signIn);
  enteringRoutes(app, routes, signIn, setting);
  chatRoutes(routes, setting, pages);
  conversationRoutes(routes, setting);
  messageFileRoutes(routes, setting);
  searchRoutes(routes, setting);
  const endDashboard = dashboardRoutes(routes, setting, pages);
  const endFeed = feedPages(pages, { ...setting, later });
  return () => {
    endFeed();
    endDashboard();
  };
}
