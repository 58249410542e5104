package io.outrigger.xds.transport;

import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.stream.ResponseDecoder;
import io.outrigger.xds.testing.AwaitingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A client over real gRPC on a real control loop, used from the test's thread. */
final class GrpcFixture implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  final ControlThread loop = new ControlThread("control");
  final AdsClients clients;
  final XdsClient client;

  GrpcFixture(String target) {
    this(target, new XdsServer.ChannelCredentials.Insecure(), new TextResources());
  }

  GrpcFixture(String target, XdsServer.ChannelCredentials credentials, ResponseDecoder decoder) {
    this(target, credentials, decoder, Map.of());
  }

  GrpcFixture(
      String target,
      XdsServer.ChannelCredentials credentials,
      ResponseDecoder decoder,
      Map<String, String> environment) {
    var bootstrap =
        new Bootstrap(
            List.of(new XdsServer(target, credentials, List.of(), ServerFeatures.NONE)),
            new Node("node", "", new Locality("", "", ""), Map.of()),
            Map.of(),
            Map.of(),
            "%s",
            Optional.empty());
    clients =
        new AdsClients(
            loop,
            Runnable::run,
            RandomSource.SYSTEM,
            bootstrap,
            "test",
            decoder,
            server ->
                new GrpcAdsTransport(loop, server, GrpcAdsTransport.KeepAlive.DEFAULT, environment),
            new Nobody());
    client = clients.of("xds:///target");
  }

  <T> AwaitingWatcher<T> watch(ResourceType<T> type, String name) {
    var watcher = new AwaitingWatcher<T>(TextResources::content);
    var unused = call(() -> client.watch(type, name, watcher));
    return watcher;
  }

  XdsStatusView status() {
    return call(clients::status);
  }

  <T> T call(Supplier<T> inside) {
    var task = new FutureTask<T>(inside::get);
    loop.execute(task);
    try {
      return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    var unused =
        call(
            () -> {
              clients.close();
              return true;
            });
    loop.close();
  }

  private static final class Nobody implements AdsObserver {
    @Override
    public void onConnected(String server) {}

    @Override
    public void onFailed(String server, RpcStatus reason) {}

    @Override
    public void onClosed(String server, RpcStatus reason) {}

    @Override
    public void onAck(String server, Response response) {}

    @Override
    public void onNack(String server, Response response, String details) {}

    @Override
    public void onResourceErrors(
        String server, ResourceType<?> type, List<String> names, RpcStatus status) {}

    @Override
    public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {}
  }
}
