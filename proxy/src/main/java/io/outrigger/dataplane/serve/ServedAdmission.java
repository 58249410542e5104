package io.outrigger.dataplane.serve;

import static java.util.Objects.requireNonNull;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.downstream.Admission;
import io.outrigger.dataplane.forward.Caller;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsHandshake;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.KnownName;
import io.outrigger.identity.certificate.Identity;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Admits the connections of a served port by the newest configuration: matches a filter chain,
 * performs the TLS handshake and identifies the peer. A connection that no chain matches is closed
 * before any byte is sent.
 */
@AnyThread
final class ServedAdmission implements Admission {
  private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

  /**
   * The maximum number of handshakes in progress on one event loop; each needs less than 100 KiB of
   * memory. Beyond this maximum, the oldest handshake (probably with a slow peer) is ended.
   */
  private static final int MAX_HANDSHAKES = 256;

  private final EventLoops loops;
  private final ServeSettings settings;
  private final RandomSource random;
  private final ServeObserver observer;

  /** For each event loop, the TLS handshakes in progress in order of their start. */
  private final List<Set<Handshake>> handshakes;

  private volatile @Nullable ServedConfig config;

  ServedAdmission(
      EventLoops loops, ServeSettings settings, RandomSource random, ServeObserver observer) {
    this.loops = loops;
    this.settings = settings;
    this.random = random;
    this.observer = observer;
    handshakes = Stream.<Set<Handshake>>generate(LinkedHashSet::new).limit(loops.count()).toList();
  }

  /**
   * Sets the configuration for new connections. If it is null, all new connections are refused, and
   * TLS handshakes in progress are aborted after one second, because a drain waits for every
   * connection.
   */
  void config(@Nullable ServedConfig next) {
    config = next;
    for (int i = 0; next == null && i < handshakes.size(); i++) {
      Set<Handshake> ofLoop = handshakes.get(i);
      EventLoop loop = loops.loop(i);
      loop.execute(() -> endSoon(List.copyOf(ofLoop), loop));
    }
  }

  private static void endSoon(List<Handshake> begun, EventLoop loop) {
    String reason = "the port was closed during the TLS handshake";
    loop.schedule(
        () -> begun.forEach(each -> each.abort(HandshakeResult.UNKNOWN_FAILURE, reason)),
        1,
        TimeUnit.SECONDS);
  }

  @Override
  public void admit(Channel channel, Function<Caller, ChannelHandler> http2) {
    ServedConfig now = config;
    if (now == null
        || !(channel.localAddress() instanceof InetSocketAddress local)
        || !(channel.remoteAddress() instanceof InetSocketAddress peer)) {
      channel.close(); // the port or the connection is about to be closed
      return;
    }
    var connection = new Accepted(channel, local, peer);
    ServedChain chain = now.chainFor(connection.localIp(), connection.peerIp(), peer.getPort());
    if (chain == null) {
      loops.peerErrors().onHandshakeFailed(peer, "no filter chain matches the connection");
      channel.close();
    } else if (chain.config().tls().isEmpty()) {
      var peerOfChain = new ServedPeer(chain, null, null);
      Caller caller = connection.caller(peerOfChain, new PeerIdentity.Plain(), Optional.empty());
      channel.pipeline().addLast(http2.apply(caller));
    } else if (!chain.ready().isDone()) {
      hold(channel, chain, http2);
    } else if (chain.tls() instanceof Outcome.Ok<TlsContext> context) {
      new Handshake(connection, chain, context.value(), http2).register();
    } else if (!now.equals(config)) {
      admit(channel, http2); // a change has closed the chain meanwhile
    } else {
      loops.peerErrors().onHandshakeFailed(peer, chain.tls().status().message());
      observer.onHandshake(HandshakeResult.UNKNOWN_FAILURE);
      channel.close();
    }
  }

  /** Stops reading from a connection until its chain is ready, then repeats the admission. */
  private void hold(Channel channel, ServedChain chain, Function<Caller, ChannelHandler> http2) {
    var held =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void exceptionCaught(ChannelHandlerContext ctx, Throwable reset) {
            ctx.close();
          }
        };
    channel.config().setAutoRead(false);
    channel.pipeline().addLast(held);
    var unused =
        chain
            .ready()
            .thenRunAsync(
                () -> {
                  if (channel.isOpen()) {
                    channel.pipeline().remove(held);
                    channel.config().setAutoRead(true);
                    admit(channel, http2);
                  }
                },
                channel.eventLoop())
            .exceptionally(
                failure -> {
                  OutOfMemory.onLoop(failure);
                  channel.close();
                  return null;
                });
  }

  @Override
  public @Nullable Retirement retirement(Caller caller) {
    ServedConfig now = config;
    if (now == null || !(caller instanceof Caller.Remote remote)) {
      return null;
    }
    ServedPeer peer = (ServedPeer) remote.targets();
    if (!now.chains().contains(peer.chain())) {
      return new Retirement(goAwayDelay(settings.drainSpread(), random), settings.drainGrace());
    }
    return peer.isDistrusted() ? new Retirement(Duration.ZERO, settings.drainGrace()) : null;
  }

  /** Returns a random delay, so that callers do not all reconnect at the same moment. */
  static Duration goAwayDelay(Duration spread, RandomSource random) {
    return Duration.ofNanos(random.nextLong(spread.toNanos() + 1, Purpose.DRAIN_SPREAD));
  }

  /**
   * The peer of one connection, with the filter chain that serves it.
   *
   * @param tls the result of the TLS handshake; null for plain text
   * @param context the TLS context of the handshake; null for plain text
   */
  private record ServedPeer(ServedChain chain, @Nullable TlsPeer tls, @Nullable TlsContext context)
      implements TargetResolver {
    @Override
    public Outcome<ForwardTarget> targetFor(CharSequence authority) {
      return chain.targetFor(authority);
    }

    /**
     * Whether the peer is not trusted by the newest certificates; the check takes 100 µs after a
     * change of certificates.
     */
    @SuppressWarnings("ReferenceEquality") // one object per set of certificates
    boolean isDistrusted() {
      TlsContext now = chain.tls().toOptional().orElse(null);
      return tls != null && now != null && now != context && now.objection(tls).isPresent();
    }
  }

  private record Accepted(Channel channel, InetSocketAddress local, InetSocketAddress peer) {
    IpAddress localIp() {
      return IpAddress.of(local.getAddress());
    }

    IpAddress peerIp() {
      return IpAddress.of(peer.getAddress());
    }

    Caller caller(ServedPeer served, PeerIdentity identity, Optional<HeaderField> certificate) {
      return new Caller.Remote(
          served,
          new AuthorizationInput.Connection(identity, peerIp(), localIp(), local.getPort()),
          certificate);
    }
  }

  private final class Handshake implements TlsHandshake.Listener {
    private final Accepted connection;
    private final ServedChain chain;
    private final TlsContext context;
    private final Set<Handshake> ofLoop;
    private final Future<?> timer;
    private boolean over;
    private @Nullable Caller caller;

    Handshake(
        Accepted connection,
        ServedChain chain,
        TlsContext context,
        Function<Caller, ChannelHandler> http2) {
      this.connection = connection;
      this.chain = chain;
      this.context = context;
      Channel channel = connection.channel();
      ofLoop = handshakes.get(loops.index(channel.eventLoop()));
      timer =
          channel
              .eventLoop()
              .schedule(this::expire, HANDSHAKE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
      Http2Connection.prepareReads(channel);
      context.addTo(channel, Optional.empty());
      channel
          .pipeline()
          .addLast(
              new TlsHandshake(Optional.empty(), () -> http2.apply(requireNonNull(caller)), this));
    }

    void register() {
      ofLoop.add(this);
      if (ofLoop.size() > MAX_HANDSHAKES) {
        ofLoop
            .iterator()
            .next()
            .abort(HandshakeResult.UNKNOWN_FAILURE, "too many TLS handshakes are in progress");
      }
    }

    private void expire() {
      abort(
          HandshakeResult.HANDSHAKE_TIMEOUT,
          "TLS handshake timed out after " + HANDSHAKE_TIMEOUT.toSeconds() + "s");
    }

    private void abort(HandshakeResult result, String reason) {
      if (!over) {
        onFailed(result, reason);
        connection.channel().close();
      }
    }

    @Override
    public void onHandshaken(TlsPeer peer) throws CertificateException {
      var served = new ServedPeer(chain, peer, context);
      if (peer.chain().isEmpty()) {
        caller = connection.caller(served, new PeerIdentity.Anonymous(), Optional.empty());
      } else {
        X509Certificate leaf = peer.chain().get(0);
        Optional<HeaderField> certificate =
            settings.tellsPeer() ? Optional.of(field(leaf)) : Optional.empty();
        caller = connection.caller(served, PeerCertificate.identity(leaf), certificate);
      }
      end(HandshakeResult.SUCCESS);
    }

    private HeaderField field(X509Certificate leaf) throws CertificateException {
      return HeaderField.of(
          KnownName.FORWARDED_CLIENT_CERT,
          PeerCertificate.forwarded(leaf, context.identity().map(Identity::leaf)));
    }

    @Override
    public void onFailed(HandshakeResult result, String reason) {
      if (!over) {
        loops.peerErrors().onHandshakeFailed(connection.peer(), reason);
        end(result);
      }
    }

    private void end(HandshakeResult result) {
      over = true;
      timer.cancel(false);
      ofLoop.remove(this);
      observer.onHandshake(result);
    }
  }
}
