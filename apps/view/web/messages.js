// What is said to the person: short notes that go away, and banners that stay while something is so.

const STAY = 6000; // ms
const MOST = 4;

export class Messages {
  constructor(toasts, banner) {
    Object.assign(this, { toasts, banner });
    this.reasons = new Map();
  }

  /** A note. One that is there already is not said twice. */
  say(text) {
    const same = [...this.toasts.children].find((it) => it.textContent === text);
    same?.remove();
    const toast = document.createElement('div');
    toast.className = 'toast';
    toast.textContent = text;
    toast.onclick = () => toast.remove();
    this.toasts.append(toast);
    while (this.toasts.children.length > MOST) this.toasts.firstChild.remove();
    setTimeout(() => toast.remove(), STAY);
  }

  /** A banner for `reason`, or none if `text` is empty. The one named last is shown. */
  hold(reason, text, kind = '') {
    this.reasons.delete(reason);
    if (text) this.reasons.set(reason, { text, kind });
    const shown = [...this.reasons.values()].at(-1);
    this.banner.hidden = !shown;
    this.banner.textContent = shown?.text ?? '';
    this.banner.className = shown?.kind ?? '';
  }
}
