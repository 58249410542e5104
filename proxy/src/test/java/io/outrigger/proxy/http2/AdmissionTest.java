package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
  private static final int LONG_MICROS = Admission.QUIET_MICROS;
  private static final IoEvent READABLE = new IoEvent() {};

  private final MockTicker time = Ticker.newMockTicker();
  private final Transport transport = new Transport();
  private final Admission admission = new Admission(transport, time);
  private final List<App> apps = new ArrayList<>();
  private final LooseStreams loose = new LooseStreams();

  /** The numbers of those that were served, in order. */
  private final List<Integer> served = new ArrayList<>();

  @BeforeEach
  void initialize() {
    admission.initialize();
  }

  @AfterEach
  void close() {
    loose.close();
    apps.forEach(App::closeSocket);
  }

  /** Tells in each turn of all that are ready and asked about, as a level-triggered one does. */
  private static final class Transport implements IoHandler {
    final Set<Registration> ready = new LinkedHashSet<>();
    boolean initialized;

    @Override
    public void initialize() {
      initialized = true;
    }

    @Override
    public int run(IoHandlerContext context) {
      List<Registration> told =
          ready.stream().filter(each -> each.ops.contains(NioIoOps.READ) && each.valid).toList();
      told.forEach(each -> each.handle.handle(each, READABLE));
      return told.size();
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      return new Registration(handle);
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return handleType == NioIoHandle.class;
    }
  }

  private static final class Registration implements IoRegistration {
    final IoHandle handle;
    NioIoOps ops = NioIoOps.NONE;
    boolean valid = true;
    boolean fails;

    Registration(IoHandle handle) {
      this.handle = handle;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Netty's
    public <T> T attachment() {
      return (T) this;
    }

    @Override
    public long submit(IoOps asked) {
      if (fails) {
        throw new UncheckedIOException(new IOException("in a test"));
      }
      ops = (NioIoOps) asked;
      return 0;
    }

    @Override
    public boolean isValid() {
      return valid;
    }

    @Override
    public boolean cancel() {
      boolean was = valid;
      valid = false;
      return was;
    }
  }

  /** A channel; each time that it is served takes it a while. */
  private final class App implements NioIoHandle {
    final int number = apps.size();
    final SocketChannel socket;
    final IoRegistration registration;
    Runnable serve;
    boolean closed;

    App(int micros) {
      this(micros, new StreamTable(true));
    }

    App(int micros, @Nullable StreamTable streams) {
      serve = () -> time.advance(micros, TimeUnit.MICROSECONDS);
      try {
        socket = SocketChannel.open();
        registration = admission.register(this);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      if (streams != null) {
        Admission.watch((Object) this, streams);
      }
      registration.submit(NioIoOps.READ);
      apps.add(this);
    }

    Registration told() {
      Registration told = registration.attachment();
      return told;
    }

    App sends() {
      transport.ready.add(told());
      return this;
    }

    @Override
    public void handle(IoRegistration of, IoEvent event) {
      assertThat(of).isSameAs(registration);
      assertThat(event).isSameAs(READABLE);
      served.add(number);
      transport.ready.remove(told());
      serve.run();
    }

    @Override
    public SelectableChannel selectableChannel() {
      return socket;
    }

    void closeSocket() {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      closed = true;
      closeSocket();
    }
  }

  private void quiet(int count, int micros) {
    IntStream.range(0, count).forEach(i -> new App(micros).sends());
  }

  /** One that calls. */
  private App calling() {
    loose.open(1);
    return new App(LONG_MICROS, loose.streams.table());
  }

  private void turn() {
    served.clear();
    admission.run(NO_CONTEXT);
  }

  private static final IoHandlerContext NO_CONTEXT =
      new IoHandlerContext() {
        @Override
        public boolean canBlock() {
          return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
          return 0;
        }

        @Override
        public long deadlineNanos() {
          return 0;
        }
      };

  @Test
  void whoComesAloneIsServedAtOnce() {
    quiet(1, 1_000);
    turn();
    assertThat(served).containsExactly(0);
    assertThat(admission.isHolding()).isFalse();
  }

  @Test
  void aCrowdSharesTheTimeOfATurn() {
    quiet(12, 100);
    turn();
    assertThat(served).containsExactly(0, 1, 2);
    assertThat(admission.isHolding()).isTrue();
    turn();
    assertThat(served).containsExactly(3, 4, 5);
  }

  /** Eight are let go on at a time, and others only when these have been served. */
  @Test
  void whoWaitsIsServedInTheOrderInWhichItCame() {
    quiet(40, 100);
    List<Integer> all = new ArrayList<>();
    while (all.size() < 40) {
      turn();
      assertThat(served).hasSizeBetween(1, 3);
      all.addAll(served);
    }
    assertThat(admission.isHolding()).isFalse();
    assertThat(all).isEqualTo(IntStream.range(0, 40).boxed().toList());
  }

  @Test
  void oneIsServedInATurnHoweverLongItTakes() {
    quiet(3, 10 * LONG_MICROS);
    for (int i = 0; i < 3; i++) {
      turn();
      assertThat(served).containsExactly(i);
    }
  }

  @Test
  void whoIsHeldCostsTheTransportNothing() {
    quiet(20, LONG_MICROS);
    turn();
    assertThat(apps.get(0).told().ops).isSameAs(NioIoOps.READ);
    assertThat(apps.subList(1, 20)).allMatch(app -> app.told().ops.equals(NioIoOps.NONE));
    turn();
    assertThat(apps.subList(1, 9)).allMatch(app -> app.told().ops.equals(NioIoOps.READ));
    assertThat(apps.subList(9, 20)).allMatch(app -> app.told().ops.equals(NioIoOps.NONE));
  }

  @Test
  void whoCallsWaitsForNobody() {
    quiet(20, LONG_MICROS);
    App caller = calling().sends();
    turn();
    assertThat(served).containsExactly(0, caller.number);
    caller.sends();
    turn();
    assertThat(served).containsExactlyInAnyOrder(1, caller.number);
  }

  /** Such as a connection to a backend, or a listener. */
  @Test
  void whoIsNotWatchedIsNeverHeld() {
    quiet(20, LONG_MICROS);
    App other = new App(LONG_MICROS, null).sends();
    Admission.watch((Object) this, new StreamTable(true)); // another one's
    turn();
    assertThat(served).containsExactly(0, other.number);
  }

  @Test
  void whoComesLaterWaitsForThoseBefore() {
    quiet(3, LONG_MICROS);
    turn();
    quiet(1, LONG_MICROS);
    turn();
    assertThat(served).containsExactly(1);
    turn();
    assertThat(served).containsExactly(2);
    turn();
    assertThat(served).containsExactly(3);
    assertThat(admission.isHolding()).isFalse();
  }

  @Test
  void whatTheChannelWantsMeanwhileHoldsAfterwards() {
    quiet(10, LONG_MICROS);
    turn();
    App paused = apps.get(1);
    paused.registration.submit(NioIoOps.NONE);
    App writes = apps.get(2);
    writes.registration.submit(NioIoOps.READ_AND_WRITE);
    assertThat(writes.told().ops).isEqualTo(NioIoOps.NONE);
    turn();
    assertThat(paused.told().ops).isEqualTo(NioIoOps.NONE);
    assertThat(writes.told().ops).isEqualTo(NioIoOps.READ_AND_WRITE);
    assertThat(served).containsExactly(2);
  }

  /** Else those that nobody reads from would keep the others waiting for ever. */
  @Test
  void whoHasNothingToTellWhenItIsItsTurnKeepsNobodyWaiting() {
    quiet(30, LONG_MICROS);
    turn();
    apps.subList(1, 25).forEach(app -> app.registration.submit(NioIoOps.NONE));
    for (int i = 0; i < 4; i++) {
      turn();
    }
    assertThat(served).containsExactly(25);
  }

  @Test
  void whoIsGoneTakesNoTurn() {
    quiet(20, LONG_MICROS);
    turn();
    apps.get(1).closeSocket(); // another socket may have its number by now
    apps.get(2).registration.cancel();
    turn();
    assertThat(apps.get(1).told().ops).isEqualTo(NioIoOps.NONE);
    assertThat(apps.get(2).told().ops).isEqualTo(NioIoOps.NONE);
    assertThat(apps.get(10).told().ops).isEqualTo(NioIoOps.READ);
    assertThat(served).containsExactly(3);
  }

  /** Of one that was closed in this turn the transport may still tell. */
  @Test
  void whoIsClosedInATurnIsNotHeld() {
    quiet(2, LONG_MICROS);
    apps.get(1).closeSocket();
    turn();
    assertThat(served).containsExactly(0);
    assertThat(admission.isHolding()).isFalse();
  }

  @Test
  void aSocketThatCannotBeAskedAboutIsClosed() {
    quiet(3, LONG_MICROS);
    apps.get(1).told().fails = true;
    turn();
    assertThat(apps.get(1).closed).isTrue();
    apps.get(2).told().fails = true;
    turn();
    assertThat(apps.get(2).closed).isTrue();
    assertThat(admission.isHolding()).isFalse();
  }

  @Test
  void theTimeOfOneThatFailsCounts() {
    quiet(2, LONG_MICROS);
    Runnable takesLong = apps.get(0).serve;
    apps.get(0).serve =
        () -> {
          takesLong.run();
          throw new IllegalStateException("in a test");
        };
    assertThatThrownBy(this::turn).hasMessage("in a test");
    apps.get(1).told().handle.handle(apps.get(1).told(), READABLE);
    assertThat(admission.isHolding()).isTrue();
  }

  @Test
  void allElseIsTheTransports() {
    assertThat(transport.initialized).isTrue();
    assertThat(admission.isCompatible(NioIoHandle.class)).isTrue();
    assertThat(admission.isCompatible(IoHandle.class)).isFalse();
  }
}
