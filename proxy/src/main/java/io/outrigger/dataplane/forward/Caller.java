package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.PeerErrors;
import java.util.Optional;

/** The peer of a downstream connection, with the targets of the peer's calls. */
@AnyThread
public sealed interface Caller {
  TargetResolver targets();

  /** The reason that calls report when they fail because no endpoint can be reached. */
  LocalReason unreachable();

  /** Returns the headers of a request as the backend may see them. */
  default HeaderList forwarded(HeaderList request) {
    return request;
  }

  PeerErrors.Side side();

  /** Returns a text for messages: the given address, then the peer's name if it is known. */
  default String described(String address) {
    return address;
  }

  /** A local app that uses a {@code --forward}. */
  record Local(TargetResolver targets) implements Caller {
    @Override
    public LocalReason unreachable() {
      return LocalReason.NO_HEALTHY_UPSTREAM;
    }

    @Override
    public PeerErrors.Side side() {
      return PeerErrors.Side.APP;
    }
  }

  /**
   * A peer of a {@code --serve}; the proxy does not trust this peer.
   *
   * @param certificate the {@code x-forwarded-client-cert} field, which describes the peer; empty
   *     when the app does not get the field
   */
  record Remote(
      TargetResolver targets,
      AuthorizationInput.Connection connection,
      Optional<HeaderField> certificate)
      implements Caller {
    @Override
    public LocalReason unreachable() {
      return LocalReason.APP_UNREACHABLE;
    }

    /** Removes the peer's {@code x-forwarded-client-cert}; adds the proxy's own, if any. */
    @Override
    public HeaderList forwarded(HeaderList request) {
      HeaderList others = request.without(KnownName.FORWARDED_CLIENT_CERT);
      return certificate
          .map(field -> HeaderList.builder(others.size() + 1).addAll(others).add(field).build())
          .orElse(others);
    }

    @Override
    public PeerErrors.Side side() {
      return PeerErrors.Side.CALLER;
    }

    @Override
    public String described(String address) {
      return connection.peer().name().map(name -> address + " (" + name + ")").orElse(address);
    }
  }
}
