/** Small pictures, drawn in the colour of the text. They say nothing that words beside them don't. */
const PATHS = {
  menu: "M3 6h18M3 12h18M3 18h18",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16.2 16.2L21 21",
  send: "M12 20V5M5.5 11.5L12 5l6.5 6.5",
  stop: "M7 7h10v10H7z",
  clip: "M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.6-8.6a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.6-7.6",
  more: "M5 11.5a.5.5 0 1 0 0 1a.5.5 0 0 0 0-1M12 11.5a.5.5 0 1 0 0 1a.5.5 0 0 0 0-1M19 11.5a.5.5 0 1 0 0 1a.5.5 0 0 0 0-1",
  down: "M12 5v14M6 13l6 6l6-6",
  chevron: "M9 6l6 6l-6 6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  retry: "M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12",
  branch: "M7 4v16M7 14c0-5 10-3 10-8M17 6V4",
  move: "M4 12h14M13 6l6 6l-6 6",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  jobs: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M12 8v4l3 2",
  processes: "M4 5h16v14H4zM7 9l3 3l-3 3M12.5 15H17",
  memory: "M6 4h12v17l-6-4l-6 4z",
  usage: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  settings: "M4 7h10M18 7h2M16 5v4M4 17h4M12 17h8M10 15v4",
  gateway: "M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01",
  devices:
    "M9 5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7M3 20c0-8 12-8 12 0M16 5.5a3 3 0 0 1 0 6M17 14.5c3 .6 4 2.7 4 5.5",
  tool: "M14.5 6a4.5 4.5 0 0 0-5.7 5.7L4 16.5V20h3.5l4.800-4.800A4.5 4.5 0 0 0 18 9.5l-2.800 2.800l-3-.5l-.5-3z",
  thought:
    "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.900c.9.7 1 1.300 1 2.100h5c0-.8.1-1.400 1-2.100A6 6 0 0 0 12 3",
  out: "M14 4H5v16h9M10 12h11M17 8l4 4l-4 4",
} as const;

type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: string; readonly size?: number }) {
  const path = PATHS[name as IconName] ?? PATHS.gateway;
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

const HUES = 12;

/** A letter in a colour that is always the same for a platform: nobody's trademark. */
export function PlatformMark({ platform, title }: { readonly platform: string; readonly title: string }) {
  let sum = 0;
  for (const sign of platform) sum = (sum * 31 + sign.charCodeAt(0)) % 997;
  return (
    <span class={`mark hue-${sum % HUES}`} title={title} aria-hidden="true">
      {title.slice(0, 1).toUpperCase()}
    </span>
  );
}
