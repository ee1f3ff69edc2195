// The host on the other side of a WebSocket. Reconnects by itself, sooner at first, then every
// two seconds.

const FIRST_WAIT = 250; // ms
const LONGEST_WAIT = 2000; // ms

/**
 * @param {{open(): void, closed(): void, text(text: string): void, binary(buffer: ArrayBuffer): void}} to
 * @returns {{send(text: string): boolean}} `send` says whether there was anybody to send it to.
 */
export function connectSocket(to) {
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  let socket;
  let wait = FIRST_WAIT;

  const connect = () => {
    socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      wait = FIRST_WAIT;
      to.open();
    };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? to.text(data) : to.binary(data));
    // An error is always followed by a close: one place is enough.
    socket.onclose = () => {
      to.closed();
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
