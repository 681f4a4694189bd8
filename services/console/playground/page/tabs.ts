// Tabs as the ARIA practices describe them: arrows move, only the chosen tab is in the order of focus.
import { byId } from './dom.ts';

/** Makes the tab list work; returns what chooses a tab by its id. */
export function startTabs(list: HTMLElement): (id: string) => void {
  const tabs = Array.from(list.querySelectorAll<HTMLElement>('[role=tab]'));
  const choose = (id: string): void => {
    for (const tab of tabs) {
      const isChosen = tab.id === id;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      byId(tab.getAttribute('aria-controls') ?? '').hidden = !isChosen;
    }
  };
  const steps: Record<string, (at: number) => number> = {
    ArrowRight: (at) => (at + 1) % tabs.length,
    ArrowLeft: (at) => (at + tabs.length - 1) % tabs.length,
    Home: () => 0,
    End: () => tabs.length - 1,
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(tab.id));
    tab.addEventListener('keydown', (event) => {
      const to = steps[event.key]?.(at);
      if (to === undefined) return;
      event.preventDefault();
      choose(tabs[to]!.id);
      tabs[to]!.focus();
    });
  }
  choose(tabs[0]!.id);
  return choose;
}
