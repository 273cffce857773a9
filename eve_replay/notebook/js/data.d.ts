// Shapes of what Python sends: eve_replay/notebook/widget_data.py makes the pages, views/ what is in them.
// Only what several scripts share has a shape here; the rest is drawn by one script, from one view.

/** A moment of a session, as the cursor needs it. `path`: keys around it, outermost first. */
export interface Stop {
  key: string;
  id: string;
  path: string[];
  label: string;
  /** UTC, ISO 8601 */
  at: string | null;
  effect: string | null;
  tone: string;
}

/** A moment (number from 0) and how many keys of its path are selected, less one. */
export interface Place {
  index: number;
  level: number;
}

/** The words, keys and signs that all widgets of a page share. */
export interface Words {
  signs?: Record<string, string>;
  silent?: string;
  unsaved?: string;
  [name: string]: any;
}

/** What a widget may ask: `do` names the question, as `_ask_...` in widget_data.py. */
export interface Question {
  do: string;
  [name: string]: unknown;
}

/** Where answers come from: what was stored with the page, else Python. */
export interface Source {
  live: boolean;
  ask(question: Question): Promise<any>;
  close(): void;
}

/** Where a widget keeps its position, so that running a cell again comes back to it. */
export interface Memory {
  load(): any;
  save(position: unknown): void;
  /** What Python set: `goal`, `breaks` ... */
  get(name: string): any;
  /** Calls back when Python sets it; returns what ends that. */
  watch(name: string, changed: () => void): () => void;
  [name: string]: any;
}

/** What anywidget hands over. */
export interface Model {
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(message: unknown): void;
  on(event: string, handler: (message: any) => void): void;
  off(event: string, handler: (message: any) => void): void;
}

/** Draws a widget into a place and returns what ends it. */
export type Widget = (place: HTMLElement, data: any, source: Source, memory: Memory) => () => void;

export type Child = Node | string | number | boolean | null | undefined | Child[];
