package io.outrigger.config.listener;

import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.RouteTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A Listener resource for clients, which has an API listener (A27).
 *
 * @param maxStreamDuration the value in {@code common_http_protocol_options} of the connection
 *     manager; empty if unset, zero for no limit
 */
public record ApiListener(
    String name, RouteSource routes, List<HttpFilter> filters, Optional<Duration> maxStreamDuration)
    implements ListenerResource {
  public ApiListener {
    filters = List.copyOf(filters);
  }

  @Override
  public ApiListener forTarget(String target) {
    if (routes instanceof RouteSource.Inline inline) {
      RouteTable selected = inline.table().forTarget(target);
      return selected.equals(inline.table())
          ? this
          : new ApiListener(name, new RouteSource.Inline(selected), filters, maxStreamDuration);
    }
    return this;
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    if (routes instanceof RouteSource.Inline inline) {
      inline.table().visitEffects(visitor);
    }
  }
}
