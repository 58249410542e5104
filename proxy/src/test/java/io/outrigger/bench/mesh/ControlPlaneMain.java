package io.outrigger.bench.mesh;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.outrigger.xds.testing.JsonResources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * An ADS control plane on a loopback port for sidecars and proxyless clients alike, state of the
 * world. It gives all clients the resources of a file, in JSON, one a line, and begins with {@code
 * port N} on standard output.
 *
 * <p>Each line of standard input makes a version, counted from 2: {@code whole JSON} or {@code
 * alone JSON}, a resource that takes the place of the one of its name. It is sent to whoever has
 * it, with all others of its type or without them, as the protocol allows for endpoints. Standard
 * output tells {@code acked VERSION} or {@code nacked VERSION: REASON}. The program ends with
 * standard input.
 *
 * <p>All of its state belongs to one event loop.
 */
public final class ControlPlaneMain {
  private static final int MOST_REQUEST_BYTES = 64 << 20;

  private final ServedResources resources = new ServedResources();
  private final List<AdsStream> streams = new ArrayList<>();
  private int version = 1;

  private ControlPlaneMain() {}

  /**
   * @param args the file
   */
  public static void main(String[] args) throws IOException {
    var plane = new ControlPlaneMain();
    try (Stream<String> lines = Files.lines(Path.of(args[0]))) {
      lines.forEach(line -> plane.resources.put(JsonResources.any(line)));
    }
    var loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .directExecutor()
            .maxInboundMessageSize(MOST_REQUEST_BYTES)
            .addService(plane.new Service())
            .build()
            .start();
    System.out.println("port " + server.getPort());
    var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      int blank = line.indexOf(' ');
      boolean alone = line.substring(0, blank).equals("alone");
      Any resource = JsonResources.any(line.substring(blank + 1));
      loop.execute(() -> plane.change(resource, alone));
    }
    System.exit(0);
  }

  /** Of what is sent now. */
  String version() {
    return Integer.toString(version);
  }

  void onEnd(AdsStream stream) {
    streams.remove(stream);
  }

  private void change(Any resource, boolean alone) {
    version++;
    ServedResources.Key key = resources.put(resource);
    streams.forEach(stream -> stream.push(key, resource, alone));
  }

  private final class Service extends AggregatedDiscoveryServiceImplBase {
    @Override
    public StreamObserver<DiscoveryRequest> streamAggregatedResources(
        StreamObserver<DiscoveryResponse> responses) {
      var stream = new AdsStream(ControlPlaneMain.this, resources, responses, System.out::println);
      streams.add(stream);
      return stream;
    }
  }
}
