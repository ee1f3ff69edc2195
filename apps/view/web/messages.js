// Messages to the user: notes that disappear, and banners that stay while their reason holds.

const STAY = 6000; // ms
const MOST = 4;

export class Messages {
  constructor(toasts, banner) {
    Object.assign(this, { toasts, banner });
    this.reasons = new Map();
  }

  /** Shows a note, without duplicates. */
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

  /** Sets the banner for `reason`, or removes it if `text` is empty. The last one set is shown. */
  hold(reason, text, kind = '') {
    this.reasons.delete(reason);
    if (text) this.reasons.set(reason, { text, kind });
    const shown = [...this.reasons.values()].at(-1);
    this.banner.hidden = !shown;
    this.banner.textContent = shown?.text ?? '';
    this.banner.className = shown?.kind ?? '';
  }
}
