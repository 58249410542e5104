package io.outrigger.config.listener;

import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.RouteTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * An API listener resource (A27).
 *
 * @param maxStreamDuration the {@code max_stream_duration} of the connection manager's common
 *     options; empty when unset, zero for no limit
 */
public record ListenerResource(
    String name, RouteSource routes, List<HttpFilter> filters, Optional<Duration> maxStreamDuration)
    implements Overlaid {
  public ListenerResource {
    filters = List.copyOf(filters);
  }

  @Override
  public ListenerResource forTarget(String target) {
    if (routes instanceof RouteSource.Inline inline) {
      RouteTable here = inline.table().forTarget(target);
      return here.equals(inline.table())
          ? this
          : new ListenerResource(name, new RouteSource.Inline(here), filters, maxStreamDuration);
    }
    return this;
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    if (routes instanceof RouteSource.Inline inline) {
      inline.table().visitEffects(visitor);
    }
  }

  /** The source of the listener's routes. */
  public sealed interface RouteSource {
    /** Routes within the listener itself. */
    record Inline(RouteTable table) implements RouteSource {}

    /** Routes in the RouteConfiguration resource with that name. */
    record Rds(String name) implements RouteSource {}
  }
}
