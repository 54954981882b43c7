/** The parts that every view is made of. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icons.js";
import { exactTime, relativeTime } from "./words.js";

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon"> & {
  readonly kind?: "primary" | "danger" | "quiet";
  readonly icon?: string;
  /** It is doing what it was pressed for: it keeps the focus, and does nothing more. */
  readonly isBusy?: boolean;
  readonly children?: ComponentChildren;
};

export function Button({ kind, icon, isBusy, children, class: more, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind ?? ""} ${more ?? ""}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

type IconButtonProps = JSX.IntrinsicElements["button"] & { readonly icon: string; readonly label: string };

/** Its label is for those who hear it, and for those who point at it. */
export function IconButton({ icon, label, class: more, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} class={`icon-button ${more ?? ""}`} aria-label={label} title={label}>
      <Icon name={icon} size={20} />
    </button>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Instead of one button that closes it. */
  readonly actions?: ComponentChildren;
}

/** Over everything else; the browser keeps the keyboard in it, and gives it back afterwards. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const label = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={label} onClose={onClose}>
      <h2 id={label}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <div class="dialog-actions">{actions ?? <Button onClick={onClose}>Close</Button>}</div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  /** On the button that does it. */
  readonly action: string;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
}

export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      onClose();
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" isBusy={isBusy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

interface FailureProps {
  readonly text: string;
  readonly retry?: () => void;
  /** On the button that calls `retry`. */
  readonly action?: string;
}

export function Failure({ text, retry, action = "Try again" }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <Icon name="alert" />
      <span>{text}</span>
      {retry ? <Button onClick={retry}>{action}</Button> : null}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      <span class="dots" aria-hidden="true" />
      <span class="sr-only">Loading</span>
    </p>
  );
}

const MINUTE_MS = 60_000;

/** How long ago, and exactly when on pointing at it. */
export function Time({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeTime(at, Math.max(now, at))}
    </time>
  );
}

const COPIED_MS = 2_000;

export function Copy({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    // Browsers have it only for https and this machine.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setDone(isCopied === true);
    setTimeout(() => setDone(false), COPIED_MS);
  };
  return (
    <button type="button" class="button quiet small" aria-label={label} onClick={() => void copy()}>
      <Icon name={isDone ? "check" : "copy"} size={16} />
      <span aria-live="polite">{isDone ? "Copied" : "Copy"}</span>
    </button>
  );
}
