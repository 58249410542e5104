package io.outrigger.xds.transport;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses of an ADS stream: any bytes are read, or refused as declared. */
class ResponseBytesRandomTest {
  private static final int RUNS = 3000;

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes() {
    var marshaller =
        new ResponseMarshaller<>(ProtoUtils.marshaller(DiscoveryResponse.getDefaultInstance()));
    byte[] sample =
        DiscoveryResponse.newBuilder()
            .setVersionInfo("1")
            .setNonce("n")
            .setTypeUrl("type.googleapis.com/envoy.config.cluster.v3.Cluster")
            .addResources(Any.pack(Cluster.newBuilder().setName("a").build()))
            .build()
            .toByteArray();

    ForeignBytes.check(
        new Case(
            "response of an ADS stream",
            StatusRuntimeException.class,
            bytes -> marshaller.parse(new ByteArrayInputStream(bytes)),
            Shape.BYTES,
            List.of(sample, new byte[0])),
        RUNS);
  }
}
