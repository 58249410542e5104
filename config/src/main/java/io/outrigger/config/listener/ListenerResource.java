package io.outrigger.config.listener;

import io.outrigger.config.overlay.Overlaid;

/** A Listener resource, which is either for clients or for servers. */
public sealed interface ListenerResource extends Overlaid permits ApiListener, SocketListener {
  String name();
}
