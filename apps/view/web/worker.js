// Runs the host as WebAssembly in a web worker, so that the page needs no server. Receives commands as JSON strings,
// and posts the messages of the host as JSON strings and ArrayBuffers. apps/view/wasm/src/lib.rs describes the exports
// of the module.

let host = null;
const earlyCommands = []; // commands that were received before the module was loaded

onmessage = ({ data }) => (host ? host.command(data) : earlyCommands.push(data));

/** Starts the simulation. Returns the host, whose `command` runs a command. */
function start(wasm) {
  const memory = wasm.memory;
  // A new view at each call, because `memory.buffer` is replaced when the memory grows.
  const bytes = (address, length) => new Uint8Array(memory.buffer, address, length);
  let last = performance.now(); // when time was last advanced, ms
  let timer = 0; // of the next step; 0 while there is none, because the simulation is paused or has blown up

  /** Posts all messages of the host. Their kind is 1 for text and 2 for bytes. */
  function postMessages() {
    for (let kind = wasm.take(); kind !== 0; kind = wasm.take()) {
      const message = bytes(wasm.message(), wasm.message_length());
      if (kind === 1) {
        postMessage(new TextDecoder().decode(message));
      } else {
        const copy = message.slice().buffer;
        postMessage(copy, [copy]);
      }
    }
  }

  /** Runs the steps that are due. */
  function tick() {
    const now = performance.now();
    wasm.advance((now - last) / 1000);
    last = now;
    postMessages();
    schedule();
  }

  /** Sets the timer to the time of the next step. */
  function schedule() {
    const due = wasm.due();
    timer = due < 0 ? 0 : setTimeout(tick, 1000 * due);
  }

  wasm.begin();
  schedule();
  return {
    command(text) {
      const command = new TextEncoder().encode(text);
      bytes(wasm.command(command.length), command.length).set(command);
      wasm.receive();
      postMessages();
      // The command may have continued the simulation. The time of the pause is not simulated.
      if (timer === 0) {
        last = performance.now();
        schedule();
      }
    },
  };
}

try {
  const imports = { page: { now: () => performance.now() / 1000 } };
  const { instance } = await WebAssembly.instantiateStreaming(fetch('./taut.wasm'), imports);
  host = start(instance.exports);
  earlyCommands.forEach(host.command);
} catch (error) {
  // An uncaught error reaches `onerror` in worker-transport.js, which shows its message.
  setTimeout(() => { throw new Error(`it could not be started: ${error}`); });
}
