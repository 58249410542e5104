package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.PlannedCall;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A hypothetical request, read as if it had arrived, for explanations of routing. Immutable. */
@AnyThread
public final class RequestPreview implements RequestView {
  private final RequestHead head;

  private RequestPreview(RequestHead head) {
    this.head = head;
  }

  /** Returns the request with {@code headers}, which must be valid HTTP headers. */
  public static RequestPreview of(HeaderList headers) {
    return new RequestPreview(RequestHead.of(headers));
  }

  public String method() {
    return head.method().toString();
  }

  @Override
  public String path() {
    return head.path();
  }

  /** The authority that the app would send; may be empty. */
  public String authority() {
    return head.authority().toString();
  }

  public boolean isGrpc() {
    return head.isGrpc();
  }

  public boolean waitsForReady() {
    return head.waitsForReady();
  }

  /** See {@link RequestHead#appTimeoutNanos}. */
  public long appTimeoutNanos() {
    return head.appTimeoutNanos();
  }

  public HeaderList headers() {
    return head.headers();
  }

  @Override
  public @Nullable String header(String name) {
    return head.header(name);
  }

  /**
   * Returns the call that would be made for this request on the given route.
   *
   * @param session the addresses to which earlier calls of the session went; empty without a
   *     session
   */
  public PlannedCall on(Route route, Forward forward, Optional<List<EndpointAddress>> session) {
    Long hash =
        route.action() instanceof RouteAction.Forward action
            ? HashPolicy.hash(action.hashPolicies(), this, forward.channelId())
            : null;
    OptionalLong known = hash == null ? OptionalLong.empty() : OptionalLong.of(hash);
    return new PlannedCall() {
      @Override
      public OptionalLong hash() {
        return known;
      }

      @Override
      public @Nullable String header(String name) {
        return head.header(name);
      }

      @Override
      public Optional<List<EndpointAddress>> session() {
        return session;
      }
    };
  }
}
