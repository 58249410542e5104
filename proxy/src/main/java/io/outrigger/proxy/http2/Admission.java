package io.outrigger.proxy.http2;

import static java.util.Objects.requireNonNull;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import io.outrigger.base.LoopConfined;
import java.nio.channels.SelectableChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which sockets of an event loop are served in a turn. They become ready in an order that is
 * nobody's merit: when thousands of connections begin to send, or go, at once, those who are being
 * served would wait for all of them. So connections that are quiet, which are new or have not
 * called for a second, share {@value #QUIET_MICROS} µs of a turn, one of them is served at least.
 * The others are held: the transport tells no more of them until it is their turn, in the order in
 * which they came, {@value #AT_ONCE} at a time. Who comes alone does not wait.
 *
 * <p>Stands between a loop and its transport, which must be level-triggered: who is let go on is
 * told of again. Who is held keeps a socket and its account; time bounds run.
 */
@LoopConfined
final class Admission implements IoHandler {
  static final int QUIET_MICROS = 250;
  static final int AT_ONCE = 8;

  /** That of the loop. */
  private static final FastThreadLocal<@Nullable Admission> CURRENT = new FastThreadLocal<>();

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final IoHandler transport;
  private final Ticker ticker;
  private final Queue<Socket> held = new ArrayDeque<>();

  /** Of the nanoseconds that quiet connections have in this turn. */
  private long left = 1;

  /** How many were let go on and are still to be served. */
  private int letGoOn;

  /** The last one that was registered; its connection asks for it at once. */
  private @Nullable Socket latest;

  Admission(IoHandler transport, Ticker ticker) {
    this.transport = transport;
    this.ticker = ticker;
  }

  /** Has the handlers of {@code transport}, which must be level-triggered, serve in this order. */
  static IoHandlerFactory over(IoHandlerFactory transport) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor loop) {
        return new Admission(transport.newHandler(loop), Ticker.systemTicker());
      }

      @Override
      public boolean isChangingThreadSupported() {
        return transport.isChangingThreadSupported();
      }
    };
  }

  /**
   * The socket of {@code channel}, which has just been registered with its loop, is quiet when
   * {@code streams} are. Call it there.
   */
  static void watch(Channel channel, StreamTable streams) {
    watch((Object) channel.unsafe(), streams); // which is the handle of its registration
  }

  @SuppressWarnings("ReferenceEquality") // which socket
  static void watch(Object handle, StreamTable streams) {
    Admission here = CURRENT.get();
    Socket socket = here == null ? null : here.latest;
    if (socket != null && socket.handle == handle) {
      socket.streams = streams;
    }
  }

  /** Whether somebody is held, so that the next turn must not wait. */
  boolean isHolding() {
    return !held.isEmpty();
  }

  @Override
  public void initialize() {
    CURRENT.set(this);
    transport.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    if (left > 0) {
      letGoOn = 0; // who was not served had nothing to tell
    }
    while (letGoOn < AT_ONCE && !held.isEmpty()) {
      if (held.remove().goOn()) {
        letGoOn++;
      }
    }
    left = TimeUnit.MICROSECONDS.toNanos(QUIET_MICROS);
    return transport.run(context);
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    Socket socket = socket(handle);
    if (socket == null) {
      return transport.register(handle);
    }
    latest = socket;
    socket.registration = transport.register(socket);
    return socket;
  }

  private @Nullable Socket socket(IoHandle handle) {
    if (handle instanceof EpollIoHandle epoll) {
      return new EpollSocket(this, epoll);
    }
    return handle instanceof NioIoHandle nio ? new NioSocket(this, nio) : null;
  }

  @Override
  public void wakeup() {
    transport.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return transport.isCompatible(handleType);
  }

  @Override
  public void prepareToDestroy() {
    transport.prepareToDestroy();
  }

  @Override
  public void destroy() {
    transport.destroy();
  }

  /**
   * Stands between a channel and its registration.
   *
   * <pre>
   * FREE    -> HELD      on an event, when it is quiet and the others have had this turn's time
   * HELD    -> LET_GO_ON when it is its turn
   * LET_GO_ON -> FREE    on an event, as soon as there is time
   * </pre>
   */
  private abstract static class Socket implements IoHandle, IoRegistration {
    private enum State {
      FREE,
      HELD,
      LET_GO_ON
    }

    private final Admission loop;
    final IoHandle handle;

    /** Null for one that is never held. */
    private @Nullable StreamTable streams;

    /** Null until it is registered. */
    private @Nullable IoRegistration registration;

    /** What the channel wants to be told. */
    private IoOps wanted;

    private State state = State.FREE;

    Socket(Admission loop, IoHandle handle, IoOps nothing) {
      this.loop = loop;
      this.handle = handle;
      wanted = nothing;
    }

    /** To be told as little as can be. */
    abstract IoOps nothing();

    abstract boolean isOpen();

    @Override
    public void handle(IoRegistration transport, IoEvent event) {
      if (streams == null || !streams.isQuiet()) {
        handle.handle(this, event);
      } else if (state == State.FREE && (loop.left <= 0 || !loop.held.isEmpty())) {
        hold();
      } else if (state != State.HELD && loop.left > 0) {
        if (state == State.LET_GO_ON) {
          state = State.FREE;
          loop.letGoOn--;
        }
        long began = loop.ticker.nanoTime();
        try {
          handle.handle(this, event);
        } finally {
          loop.left -= loop.ticker.nanoTime() - began;
        }
      }
    }

    private void hold() {
      if (ask(nothing())) {
        state = State.HELD;
        loop.held.add(this);
      }
    }

    /** False when it is gone. */
    private boolean goOn() {
      state = State.LET_GO_ON;
      return ask(wanted);
    }

    /** Has the transport tell of {@code ops}; false when the socket is gone, or goes for it. */
    private boolean ask(IoOps ops) {
      if (!isValid() || !isOpen()) {
        return false; // closed in this turn; its number may be another one's by now
      }
      try {
        registration().submit(ops);
        return true;
      } catch (RuntimeException e) { // in the transport's hands the loop would stand still for it
        closeFor(e);
        return false;
      }
    }

    private void closeFor(RuntimeException failure) {
      try {
        handle.close();
      } catch (Exception again) {
        failure.addSuppressed(again);
      }
      log.debug("a socket was closed: the transport cannot be asked about it", failure);
    }

    private IoRegistration registration() {
      return requireNonNull(registration, "it is not registered yet");
    }

    @Override
    public long submit(IoOps ops) {
      wanted = ops;
      return state == State.HELD ? 0 : registration().submit(ops);
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's
    public <T> T attachment() {
      return registration().attachment();
    }

    @Override
    public boolean isValid() {
      return registration().isValid();
    }

    @Override
    public boolean cancel() {
      return registration().cancel();
    }

    @Override
    public void registered() {
      handle.registered();
    }

    @Override
    public void unregistered() {
      handle.unregistered();
    }

    @Override
    public void close() {
      try {
        handle.close();
      } catch (Exception e) {
        throw new IllegalStateException("not closed: " + handle, e);
      }
    }
  }

  private static final class EpollSocket extends Socket implements EpollIoHandle {
    EpollSocket(Admission loop, EpollIoHandle handle) {
      super(loop, handle, EpollIoOps.NONE);
    }

    /** The end of a socket is told always, but so once and not until somebody heeds it. */
    @Override
    IoOps nothing() {
      return EpollIoOps.EPOLLET;
    }

    @Override
    boolean isOpen() {
      return fd().isOpen();
    }

    @Override
    public FileDescriptor fd() {
      return ((EpollIoHandle) handle).fd();
    }
  }

  private static final class NioSocket extends Socket implements NioIoHandle {
    NioSocket(Admission loop, NioIoHandle handle) {
      super(loop, handle, NioIoOps.NONE);
    }

    @Override
    IoOps nothing() {
      return NioIoOps.NONE;
    }

    @Override
    boolean isOpen() {
      return selectableChannel().isOpen();
    }

    @Override
    public SelectableChannel selectableChannel() {
      return ((NioIoHandle) handle).selectableChannel();
    }
  }
}
