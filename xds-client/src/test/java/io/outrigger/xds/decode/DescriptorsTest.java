package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.xds.ResourceType;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The work of every start must not build the descriptors of protobuf (decision xds-0074). */
final class DescriptorsTest {
  /** Writes the node and reads an assignment; {@link FreshClasses} runs it. */
  public static final class Start implements Consumer<byte[]> {
    @Override
    public void accept(byte[] assignment) {
      var node =
          new io.outrigger.config.bootstrap.Node(
              "n", "c", new Locality("", "", ""), Map.of("zone", "a"));
      var resource =
          Any.newBuilder()
              .setTypeUrl(ResourceType.ENDPOINT.typeUrl())
              .setValue(ByteString.copyFrom(assignment));
      var context = new DecodeContext(ServerFeatures.NONE, Map.of());
      if (WireNode.of(node, "1").bytes().isEmpty()
          || ResourceDecoder.decode(ResourceType.ENDPOINT, List.of(resource.build()), context)
              .valid()
              .isEmpty()) {
        throw new AssertionError("nothing was decoded");
      }
    }
  }

  @Test
  void theNodeAndEndpointsNeedNone() throws Exception {
    var socket = SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(1);
    var assignment = ClusterLoadAssignment.newBuilder().setClusterName("c");
    assignment
        .addEndpointsBuilder()
        .setLocality(io.envoyproxy.envoy.config.core.v3.Locality.newBuilder().setZone("a"))
        .setLoadBalancingWeight(UInt32Value.of(1))
        .addLbEndpointsBuilder()
        .getEndpointBuilder()
        .setAddress(Address.newBuilder().setSocketAddress(socket));

    try (var classes = new FreshClasses()) {
      @SuppressWarnings("unchecked")
      var start =
          (Consumer<byte[]>)
              classes.loadClass(Start.class.getName()).getConstructor().newInstance();
      start.accept(assignment.build().toByteArray());

      assertThat(classes.hasLoaded("com.google.protobuf.StructProto")).isFalse();
      assertThat(classes.hasLoaded("com.google.protobuf.Any")).isTrue();
    }
  }

  /** Loads all classes of the class path anew, and tells which were loaded. */
  private static final class FreshClasses extends URLClassLoader {
    FreshClasses() {
      super(classPath(), ClassLoader.getPlatformClassLoader());
    }

    boolean hasLoaded(String name) {
      return findLoadedClass(name) != null;
    }

    private static URL[] classPath() {
      return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(File::new)
          .map(FreshClasses::url)
          .toArray(URL[]::new);
    }

    private static URL url(File file) {
      try {
        return file.toURI().toURL();
      } catch (MalformedURLException e) {
        throw new AssertionError(e);
      }
    }
  }
}
