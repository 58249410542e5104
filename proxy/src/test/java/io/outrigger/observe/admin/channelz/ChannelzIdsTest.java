package io.outrigger.observe.admin.channelz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.observe.admin.channelz.ChannelzView.Calls;
import io.outrigger.observe.admin.channelz.ChannelzView.Channel;
import io.outrigger.observe.admin.channelz.ChannelzView.Server;
import io.outrigger.observe.admin.channelz.ChannelzView.Subchannel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

class ChannelzIdsTest {
  private static final TargetName ORDERS = new TargetName("orders", "xds:///orders", "orders");
  private static final ListenAddress LISTEN = new ListenAddress.Tcp("127.0.0.1", 9001);
  private static final Calls CALLS = new Calls(6, 3, 2);

  private final ChannelzIds ids = new ChannelzIds();

  @Test
  void aTargetIsAChannelAndEachOfItsEndpointsASubchannel() {
    ChannelzView view =
        look(
            cluster("A", endpoint(1, Connectivity.READY, 5), endpoint(2, Connectivity.IDLE, 0)),
            cluster("B", endpoint(1, Connectivity.CONNECTING, 0)));

    Channel channel = only(view);
    assertThat(channel.name()).isEqualTo(ORDERS);
    assertThat(channel.state()).isEqualTo(Connectivity.READY);
    assertThat(channel.calls()).contains(CALLS);
    assertThat(channel.subchannels())
        .extracting(Subchannel::name, Subchannel::state, Subchannel::calls)
        .containsExactly(
            standing("A", 1, Connectivity.READY, new Calls(6, 5, 0)),
            standing("A", 2, Connectivity.IDLE, new Calls(1, 0, 0)),
            standing("B", 1, Connectivity.CONNECTING, new Calls(1, 0, 0)));
    assertThat(view.subchannels().values())
        .containsExactlyInAnyOrderElementsOf(channel.subchannels());
    view.subchannels().forEach((id, each) -> assertThat(each.id()).isEqualTo(id));
  }

  @Test
  void theSameEndpointOfTwoLeavesIsOneSubchannel() {
    LbNode first = cluster("leaf-1", endpoint(1, Connectivity.TRANSIENT_FAILURE, 2));
    LbNode second = cluster("leaf-2", endpoint(1, Connectivity.READY, 3));

    ChannelzView view = look(node("aggregate", List.of(first, second), List.of()));

    assertThat(only(view).subchannels())
        .extracting(Subchannel::name, Subchannel::state, Subchannel::calls)
        .containsExactly(standing("aggregate", 1, Connectivity.READY, new Calls(7, 5, 0)));
  }

  @Test
  void aForwardIsAServerWithASocketThatListens() {
    Server server = look().servers().firstEntry().getValue();

    assertThat(server)
        .isEqualTo(new Server(server.id(), "orders", server.listenSocket(), LISTEN, CALLS));
    assertThat(server.listenSocket()).isNotEqualTo(server.id());
  }

  @Test
  void idsAreKeptWhileLooksShowThemAndNeverGivenAgain() {
    LbNode both =
        cluster("A", endpoint(1, Connectivity.READY, 0), endpoint(2, Connectivity.READY, 0));
    Channel before = only(look(both));
    long first = before.subchannels().get(0).id();
    long second = before.subchannels().get(1).id();

    Channel without = only(look(cluster("A", endpoint(2, Connectivity.IDLE, 0))));
    Channel again = only(look(both));

    assertThat(without.id()).isEqualTo(before.id());
    assertThat(without.subchannels()).extracting(Subchannel::id).containsExactly(second);
    assertThat(again.id()).isEqualTo(before.id());
    assertThat(again.subchannels().get(0).id()).isGreaterThan(Math.max(first, second));
    assertThat(again.subchannels().get(1).id()).isEqualTo(second);
  }

  @Test
  void everyIdIsDifferentAndNoneIsGrpcJavasOrASockets() {
    ChannelzView view = look(cluster("A", endpoint(1, Connectivity.READY, 0)));
    List<Long> all =
        Stream.of(
                view.channels().keySet().stream(),
                view.subchannels().keySet().stream(),
                view.servers().keySet().stream(),
                view.servers().values().stream().map(Server::listenSocket))
            .flatMap(each -> each)
            .toList();

    assertThat(all).hasSize(4).doesNotHaveDuplicates();
    assertThat(all).allMatch(id -> id >= ChannelzIds.OURS && id < ChannelzIds.SOCKETS);
  }

  private ChannelzView look(LbNode... clusters) {
    ChannelzIds.Snapshot snapshot = ids.begin();
    snapshot.server("orders", LISTEN, CALLS);
    snapshot.channel(
        ORDERS,
        Connectivity.READY,
        Optional.of(CALLS),
        visitor -> List.of(clusters).forEach(each -> each.accept(visitor)));
    return snapshot.end();
  }

  private static Channel only(ChannelzView view) {
    assertThat(view.channels()).hasSize(1);
    return view.channels().firstEntry().getValue();
  }

  private static Tuple standing(String cluster, int host, Connectivity state, Calls calls) {
    return tuple(new SubchannelName(ORDERS, cluster, address(host)), state, calls);
  }

  private static EndpointAddress address(int host) {
    return new EndpointAddress("10.0.0." + host, 80);
  }

  private static LbNode cluster(String name, LbEndpoint... endpoints) {
    return node(name, List.of(node("leaf", List.of(), List.of(endpoints))), List.of());
  }

  private static LbNode node(String name, List<LbNode> children, List<LbEndpoint> endpoints) {
    return new LbNode(name, "p", Connectivity.READY, Map.of(), "", children, endpoints, true);
  }

  /** One call of it is in progress. */
  private static LbEndpoint endpoint(int host, Connectivity state, int succeeded) {
    var endpoint = new Endpoint(List.of(address(host)), HealthStatus.HEALTHY, 1, "");
    return new LbEndpoint(
        new Backend(endpoint, new Locality("", "", ""), 0),
        new LbEndpoint.Link(state, new SubchannelCalls(1, succeeded, 0)));
  }
}
