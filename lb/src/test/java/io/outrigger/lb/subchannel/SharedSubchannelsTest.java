package io.outrigger.lb.subchannel;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharedSubchannelsTest {
  private static final String E1 = "10.0.0.1:80";

  private final FakeParent parent = new FakeParent();
  private final List<String> owned = new ArrayList<>();
  private final SharedSubchannels shared =
      new SharedSubchannels(
          parent.loop(),
          new Mapping(),
          address -> owned.add("taken " + address),
          address -> owned.add("returned " + address));
  private final List<String> zones = new ArrayList<>();

  /** Notes where subchannels are moved to. */
  private final class Mapping implements LbParent {
    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, Subchannel.Listener listener) {
      Subchannel subchannel = parent.newSubchannel(backend, address, listener);
      return new DelegatingSubchannel(subchannel) {
        @Override
        public void update(Backend next) {
          zones.add(next.locality().zone());
        }
      };
    }

    @Override
    public void publish(Connectivity state, Picker picker) {}

    @Override
    public void requestReresolution() {}
  }

  /** Holds a lease and remembers what it heard. */
  private final class Owner implements Subchannel.Listener {
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

  @Test
  void theEndpointStandsWhereItsNewestOwnerSays() {
    Subchannel first = lease("a");
    assertThat(zones).isEmpty();

    Subchannel second = lease("b");
    parent.loop().inside(() -> first.update(standing("c")));
    assertThat(zones).containsExactly("b");
    parent.loop().inside(() -> second.update(standing("d")));
    assertThat(zones).containsExactly("b", "d");
    parent.loop().inside(second::close);
    parent.loop().inside(() -> second.update(standing("e")));
    assertThat(zones).containsExactly("b", "d", "c");

    parent.loop().inside(first::close);
    parent.loop().inside(() -> first.update(standing("e")));
    assertThat(zones).containsExactly("b", "d", "c");
  }

  @Test
  void aLeaseSaysWhereItsOwnerHasTheEndpoint() {
    Subchannel lease = lease("a");
    lease("b");

    assertThat(lease.backend().locality()).isEqualTo(Samples.locality("a"));
    assertThat(lease.backend().priority()).isEqualTo(3);
    assertThat(lease.backend().endpoint()).isEqualTo(Samples.endpoint(E1));
  }

  @Test
  void whoKeepsAConnectionForTheNodeItselfIsNoOwner() {
    parent
        .loop()
        .inside(() -> shared.keep(Samples.backend(E1), Samples.address(E1), (state, reason) -> {}));
    assertThat(shared.isAcquired(Samples.address(E1))).isFalse();

    var owner = new Owner(false);
    assertThat(shared.isAcquired(Samples.address(E1))).isTrue();
    owner.close();

    assertThat(shared.isAcquired(Samples.address(E1))).isFalse();
    assertThat(owned).containsExactly("taken " + E1, "returned " + E1);
  }

  @Test
  void anOwnerThatThrowsSilencesNobodyForGood() {
    parent
        .loop()
        .inside(
            () ->
                shared.newSubchannel(
                    Samples.backend(E1),
                    Samples.address(E1),
                    (state, reason) -> {
                      if (state == CONNECTING) {
                        throw new IllegalStateException("a bug");
                      }
                    }));
    var other = new Owner(false);
    assertThatThrownBy(other::connect).hasMessage("a bug");

    parent.ready(E1);

    assertThat(other.heard).last().isEqualTo(READY);
  }

  @Test
  void leasesAreMadeOnTheControlLoopAlone() {
    assertThatThrownBy(
            () ->
                shared.newSubchannel(
                    Samples.backend(E1), Samples.address(E1), (state, reason) -> {}))
        .isInstanceOf(IllegalStateException.class);
  }

  private Subchannel lease(String zone) {
    List<Subchannel> leases = new ArrayList<>();
    parent
        .loop()
        .inside(
            () ->
                leases.add(
                    shared.newSubchannel(
                        standing(zone), Samples.address(E1), (state, reason) -> {})));
    return leases.get(0);
  }

  private static Backend standing(String zone) {
    return new Backend(Samples.endpoint(E1), Samples.locality(zone), 3);
  }
}
