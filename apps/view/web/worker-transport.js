// The host as WebAssembly in a worker of this page: the same messages, no server.

/** Takes and gives what `connectSocket` does. */
export function connectWorker(to) {
  const worker = new Worker(new URL('worker.js', location.href), { type: 'module' });
  let open = false;
  const opened = () => {
    if (!open) {
      open = true;
      to.open();
    }
  };
  worker.onmessage = ({ data }) => {
    opened();
    if (typeof data === 'string') to.text(data);
    else to.binary(data);
  };
  worker.onerror = (event) => {
    open = false;
    to.closed(`The simulation has stopped: ${event.message || 'the simulation could not be loaded'}`);
  };
  return {
    send(text) {
      worker.postMessage(text);
      return open;
    },
  };
}
