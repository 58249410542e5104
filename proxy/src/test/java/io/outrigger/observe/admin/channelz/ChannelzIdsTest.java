package io.outrigger.observe.admin.channelz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.ChannelData;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.Subchannel;
import io.grpc.channelz.v1.SubchannelRef;
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
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.observe.admin.channelz.ChannelzSource.Calls;
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
    ChannelzSource.View view =
        look(
            cluster("A", endpoint(1, Connectivity.READY, 5), endpoint(2, Connectivity.IDLE, 0)),
            cluster("B", endpoint(1, Connectivity.CONNECTING, 0)));

    Channel channel = only(view);
    assertThat(channel.getRef().getName()).isEqualTo("orders xds:///orders");
    assertThat(channel.getData().getState().getState().name()).isEqualTo("READY");
    assertThat(channel.getData().getCallsStarted()).isEqualTo(CALLS.started());
    assertThat(subchannels(view))
        .containsExactly(
            standing("A", 1, Connectivity.READY, new Calls(6, 5, 0)),
            standing("A", 2, Connectivity.IDLE, new Calls(1, 0, 0)),
            standing("B", 1, Connectivity.CONNECTING, new Calls(1, 0, 0)));
    assertThat(view.subchannels().keySet())
        .isEqualTo(view.names().keySet())
        .containsExactlyInAnyOrderElementsOf(subchannelIds(channel));
  }

  @Test
  void theSameEndpointOfTwoLeavesIsOneSubchannel() {
    LbNode first = cluster("leaf-1", endpoint(1, Connectivity.TRANSIENT_FAILURE, 2));
    LbNode second = cluster("leaf-2", endpoint(1, Connectivity.READY, 3));

    ChannelzSource.View view = look(node("aggregate", List.of(first, second), List.of()));

    assertThat(subchannels(view))
        .containsExactly(standing("aggregate", 1, Connectivity.READY, new Calls(7, 5, 0)));
  }

  @Test
  void aForwardIsAServerWithASocketThatListens() {
    ChannelzSource.View view = look();

    Server server = view.servers().firstEntry().getValue();
    Socket listening = view.listening().get(server.getListenSocket(0).getSocketId());
    assertThat(server.getRef().getName()).isEqualTo("orders");
    assertThat(server.getData().getCallsStarted()).isEqualTo(CALLS.started());
    assertThat(listening.getLocal().getTcpipAddress().getPort()).isEqualTo(9001);
    assertThat(listening.getRef().getSocketId()).isNotEqualTo(server.getRef().getServerId());
  }

  @Test
  void idsAreKeptWhileLooksShowThemAndNeverGivenAgain() {
    LbNode both =
        cluster("A", endpoint(1, Connectivity.READY, 0), endpoint(2, Connectivity.READY, 0));
    Channel before = only(look(both));
    long first = subchannelIds(before).get(0);
    long second = subchannelIds(before).get(1);

    Channel without = only(look(cluster("A", endpoint(2, Connectivity.IDLE, 0))));
    Channel again = only(look(both));

    assertThat(without.getRef()).isEqualTo(before.getRef());
    assertThat(subchannelIds(without)).containsExactly(second);
    assertThat(again.getRef()).isEqualTo(before.getRef());
    assertThat(subchannelIds(again).get(0)).isGreaterThan(Math.max(first, second));
    assertThat(subchannelIds(again).get(1)).isEqualTo(second);
  }

  @Test
  void everyIdIsDifferentAndNoneIsGrpcJavasOrASockets() {
    ChannelzSource.View view = look(cluster("A", endpoint(1, Connectivity.READY, 0)));
    List<Long> all =
        Stream.of(
                view.channels().keySet().stream(),
                view.subchannels().keySet().stream(),
                view.servers().keySet().stream(),
                view.listening().keySet().stream())
            .flatMap(each -> each)
            .toList();

    assertThat(all).hasSize(4).doesNotHaveDuplicates();
    assertThat(all).allMatch(id -> id >= ChannelzIds.OURS && id < ChannelzIds.SOCKETS);
  }

  private ChannelzSource.View look(LbNode... clusters) {
    ChannelzIds.Snapshot snapshot = ids.begin();
    snapshot.server("orders", LISTEN, CALLS);
    snapshot.channel(
        ORDERS,
        Connectivity.READY,
        Optional.of(CALLS),
        visitor -> List.of(clusters).forEach(each -> Samples.show(each, visitor)));
    return snapshot.end();
  }

  private static Channel only(ChannelzSource.View view) {
    assertThat(view.channels()).hasSize(1);
    return view.channels().firstEntry().getValue();
  }

  /** The names, states and calls of the channel's subchannels, in its order. */
  private static List<Tuple> subchannels(ChannelzSource.View view) {
    return subchannelIds(only(view)).stream()
        .map(
            id -> {
              Subchannel subchannel = view.subchannels().get(id);
              ChannelData data = subchannel.getData();
              return tuple(
                  view.names().get(id),
                  Connectivity.valueOf(data.getState().getState().name()),
                  new Calls(
                      data.getCallsStarted(), data.getCallsSucceeded(), data.getCallsFailed()));
            })
        .toList();
  }

  private static List<Long> subchannelIds(Channel channel) {
    return channel.getSubchannelRefList().stream().map(SubchannelRef::getSubchannelId).toList();
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
