// Connects to the host through a WebSocket. Reconnects automatically, at first after a quarter of a second, later every
// two seconds. A server with too many pages responds with status 503 and a message (see the limits in
// apps/view/src/protocol).

const FIRST_WAIT = 250; // ms
const LONGEST_WAIT = 2000; // ms
const FULL = 503; // HTTP status of a server with too many pages

/** Requests by HTTP the reason why the server refuses sockets, which a WebSocket does not report; '' without one. */
async function refusalReason() {
  try {
    const response = await fetch(new URL('socket', location.href));
    return response.status === FULL ? (await response.text()).trim() : '';
  } catch {
    return '';
  }
}

/**
 * Connects, and calls the handlers.
 * @param {{open(): void, closed(reason: string): void, text(text: string): void, binary(buffer: ArrayBuffer): void}} handlers
 * @returns {{send(text: string): boolean}} `send` returns whether the socket was open.
 */
export function connectSocket(handlers) {
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  let socket;
  let wait = FIRST_WAIT;

  const connect = () => {
    let wasOpen = false;
    socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      wait = FIRST_WAIT;
      wasOpen = true;
      handlers.open();
    };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? handlers.text(data) : handlers.binary(data));
    // An error is always followed by a close event.
    socket.onclose = () => {
      handlers.closed('No connection to the simulation. Reconnecting …');
      if (!wasOpen) {
        refusalReason().then((reason) => {
          if (reason && socket.readyState !== WebSocket.OPEN) handlers.closed(`${reason}. Reconnecting …`);
        });
      }
      setTimeout(connect, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  };
  connect();

  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      return true;
    },
  };
}
