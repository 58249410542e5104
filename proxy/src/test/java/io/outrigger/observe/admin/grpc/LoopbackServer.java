package io.outrigger.observe.admin.grpc;

import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.admin.ReplyQueue;
import io.outrigger.program.testing.FakeChannelzSource;
import io.outrigger.xds.status.XdsStatusView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Starts admin gRPC servers on free ports of loopback. */
final class LoopbackServer {
  private LoopbackServer() {}

  static AdminGrpcServer start(Supplier<CompletionStage<XdsStatusView>> view, AdminBudget budget)
      throws IOException {
    return AdminGrpcServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        () -> new Node("node", "", new Locality("", "", ""), Map.of()),
        "test",
        view,
        new FakeChannelzSource(),
        new ReplyQueue(),
        budget);
  }
}
