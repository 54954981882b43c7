/** Files that are dragged over the page. A browser would leave the page to show one: it is taken where something takes it only. */

export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Elsewhere nothing can be dropped. */
export function keepFromLeaving(): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
