package io.outrigger.lb.subchannel;

import static io.outrigger.lb.Connectivity.CONNECTING;
import static io.outrigger.lb.Connectivity.IDLE;
import static io.outrigger.lb.Connectivity.READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.SubchannelListener;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharedSubchannelsTest {
  private static final String E1 = "10.0.0.1:80";

  private final FakeParent parent = new FakeParent();
  private final SharedSubchannels shared = new SharedSubchannels(parent.loop(), parent);

  /** Holds a lease and remembers what it heard. */
  private final class Owner implements SubchannelListener {
    private final List<Connectivity> heard = new ArrayList<>();
    private final boolean reconnects;
    private @Nullable Subchannel lease;

    Owner(boolean reconnects) {
      this.reconnects = reconnects;
      take();
    }

    final void take() {
      parent
          .loop()
          .inside(
              () -> lease = shared.newSubchannel(Samples.backend(E1), Samples.address(E1), this));
    }

    void connect() {
      parent.loop().inside(() -> lease.requestConnection());
    }

    void close() {
      parent.loop().inside(() -> lease.close());
    }

    @Override
    public void onState(Connectivity state, RpcStatus reason) {
      heard.add(state);
      if (state == IDLE && reconnects) {
        lease.requestConnection();
      }
    }
  }

  @Test
  void twoOwnersShareOneConnection() {
    var first = new Owner(false);
    var second = new Owner(false);

    first.connect();
    second.connect();
    parent.ready(E1);

    assertThat(parent.subchannels()).isEqualTo(1);
    assertThat(parent.connector().count(E1)).isEqualTo(1);
    assertThat(first.heard).containsExactly(CONNECTING, READY);
    assertThat(second.heard).containsExactly(CONNECTING, READY);
  }

  @Test
  void aLaterOwnerSoonHearsHowFarTheConnectionIs() {
    var first = new Owner(false);
    first.connect();
    parent.ready(E1);

    var second = new Owner(false);

    assertThat(second.heard).containsExactly(READY);
    assertThat(second.lease.transport()).isSameAs(first.lease.transport()).isNotNull();
  }

  @Test
  void whatOneOwnerGivesUpAndAnotherTakesInTheSameTurnLivesOn() {
    var first = new Owner(false);
    first.connect();
    parent.ready(E1);

    parent
        .loop()
        .inside(
            () -> {
              first.lease.close();
              shared.newSubchannel(Samples.backend(E1), Samples.address(E1), (state, reason) -> {});
            });

    assertThat(parent.connector().last(E1).isGivenUp()).isFalse();
  }

  @Test
  void whatAnOwnerAskedForBeforeItWasUpToDateIsNotForgotten() {
    var first = new Owner(false);
    first.connect();
    parent.ready(E1);
    List<Connectivity> heard = new ArrayList<>();

    parent
        .loop()
        .inside(
            () -> {
              Subchannel second =
                  shared.newSubchannel(
                      Samples.backend(E1),
                      Samples.address(E1),
                      (state, reason) -> heard.add(state));
              second.requestConnection();
              parent.connector().last(E1).end("lost");
            });

    assertThat(parent.connector().count(E1)).isEqualTo(2);
    assertThat(heard).last().isEqualTo(CONNECTING);
  }

  @Test
  void theLastOwnerClosesTheConnection() {
    var first = new Owner(false);
    var second = new Owner(false);
    first.connect();
    parent.ready(E1);

    first.close();
    first.close();
    assertThat(parent.connector().last(E1).isGivenUp()).isFalse();
    second.close();

    assertThat(parent.connector().last(E1).isGivenUp()).isTrue();
  }

  @Test
  void afterTheEndAnotherOwnerBeginsAnew() {
    var owner = new Owner(false);
    owner.close();

    owner.take();

    assertThat(parent.subchannels()).isEqualTo(2);
  }

  @Test
  void everyOwnerHearsEveryStateInOrderThoughOneOfThemReconnectsAtOnce() {
    var first = new Owner(true);
    var second = new Owner(false);
    first.connect();
    parent.ready(E1);

    parent.end(E1);

    assertThat(first.heard).containsExactly(CONNECTING, READY, IDLE, CONNECTING);
    assertThat(second.heard).containsExactly(CONNECTING, READY, IDLE, CONNECTING);
  }

  @Test
  void aClosedLeaseHearsNothing() {
    var first = new Owner(false);
    var second = new Owner(false);
    first.connect();

    second.close();
    parent.ready(E1);

    assertThat(second.heard).containsExactly(CONNECTING);
  }
}
