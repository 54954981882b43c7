/** What is shown: the way in for those outside, and the shell with a place of the page for those inside. */
import { entrance } from "./enter.js";
import { Shell } from "./shell.js";
import { SignIn } from "./sign-in.js";
import { Toasts } from "./toast.js";
import { Loading } from "./ui.js";

export function App() {
  const now = entrance.value;
  if (now.kind === "in")
    return (
      <>
        <Shell />
        <Toasts />
      </>
    );
  return <main class="outside">{now.kind === "asking" ? <Loading /> : <SignIn entrance={now} />}</main>;
}
