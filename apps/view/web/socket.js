// Connects to the host through a WebSocket. Reconnects automatically, quickly at first, then every
// two seconds. A full server answers with status 503 and a message (limits: view/src/protocol).

const FIRST_WAIT = 250; // ms
const LONGEST_WAIT = 2000; // ms
const FULL = 503; // HTTP status

/** Why the server refuses a socket, which WebSocket does not report; '' if it does not refuse. */
async function refusal() {
  try {
    const answer = await fetch(new URL('socket', location.href));
    return answer.status === FULL ? (await answer.text()).trim() : '';
  } catch {
    return '';
  }
}

/**
 * @param {{open(): void, closed(why: string): void, text(text: string): void, binary(buffer: ArrayBuffer): void}} to
 * @returns {{send(text: string): boolean}} `send` returns whether it was connected.
 */
export function connectSocket(to) {
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
      to.open();
    };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? to.text(data) : to.binary(data));
    // An error is always followed by a close event.
    socket.onclose = () => {
      to.closed('The simulation does not answer. Reconnecting …');
      if (!wasOpen) {
        refusal().then((why) => {
          if (why && socket.readyState !== WebSocket.OPEN) to.closed(`${why}. Reconnecting …`);
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
