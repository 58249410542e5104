package io.outrigger.endtoend;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.grpc.xds.shaded.io.envoyproxy.envoy.config.core.v3.DataSource;
import io.grpc.xds.shaded.io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.grpc.xds.shaded.io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.grpc.xds.shaded.io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.outrigger.endtoend.IstiodMesh.Pod;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A real Envoy that istiod configures as the sidecar of a pod, without interception of connections.
 * This class stands in for istio's agent: it gives Envoy the pod's certificate and the root.
 */
final class EnvoySidecar implements AutoCloseable {
  private static final MethodDescriptor<DiscoveryRequest, DiscoveryResponse> STREAM_SECRETS =
      MethodDescriptor.<DiscoveryRequest, DiscoveryResponse>newBuilder()
          .setType(MethodType.BIDI_STREAMING)
          .setFullMethodName("envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets")
          .setRequestMarshaller(ProtoUtils.marshaller(DiscoveryRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(DiscoveryResponse.getDefaultInstance()))
          .build();

  private final Server secrets;
  private final RealServer envoy;

  /** Starts {@code binary}; what it listens on is what istiod says. */
  EnvoySidecar(Path binary, IstiodMesh istiod, Pod pod, TestIdentity identity) throws IOException {
    secrets =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder("envoy.service.secret.v3.SecretDiscoveryService")
                    .addMethod(
                        STREAM_SECRETS,
                        ServerCalls.asyncBidiStreamingCall(
                            answers -> answering(answers, identity, istiod.root().rootPem())))
                    .build())
            .build()
            .start();
    envoy =
        RealServer.start(
            (folder, port) -> {
              Path config = folder.resolve("envoy.json");
              Files.writeString(config, bootstrap(pod, port, istiod.port()));
              return List.of(
                  binary.toString(),
                  "-c",
                  config.toString(),
                  "--concurrency",
                  "1",
                  "--use-dynamic-base-id",
                  "--log-level",
                  "warning");
            });
  }

  Admin admin() {
    return new Admin(envoy.address());
  }

  /** Returns the output of Envoy so far. */
  String log() throws IOException {
    return Files.readString(envoy.folder().resolve("log"));
  }

  private static StreamObserver<DiscoveryRequest> answering(
      StreamObserver<DiscoveryResponse> answers, TestIdentity identity, String root) {
    return new StreamObserver<>() {
      @Override
      public void onNext(DiscoveryRequest request) {
        if (!request.getResponseNonce().isEmpty()) {
          return; // an ACK; the secrets do not change
        }
        var response =
            DiscoveryResponse.newBuilder()
                .setVersionInfo("1")
                .setNonce("1")
                .setTypeUrl(request.getTypeUrl());
        for (String name : request.getResourceNamesList()) {
          response.addResources(Any.pack(secret(name, identity, root)));
        }
        answers.onNext(response.build());
      }

      @Override
      public void onError(Throwable ended) {}

      @Override
      public void onCompleted() {
        answers.onCompleted();
      }
    };
  }

  private static Secret secret(String name, TestIdentity identity, String root) {
    Secret.Builder secret = Secret.newBuilder().setName(name);
    if (name.equals("default")) {
      secret.setTlsCertificate(
          TlsCertificate.newBuilder()
              .setCertificateChain(inline(identity.chainPem()))
              .setPrivateKey(inline(identity.keyPem())));
    } else {
      secret.setValidationContext(
          CertificateValidationContext.newBuilder().setTrustedCa(inline(root)));
    }
    return secret.build();
  }

  private static DataSource inline(String text) {
    return DataSource.newBuilder()
        .setInlineBytes(ByteString.copyFrom(text, StandardCharsets.US_ASCII))
        .build();
  }

  private String bootstrap(Pod pod, int admin, int istiod) {
    String ads = "{\"ads\":{},\"resource_api_version\":\"V3\"}";
    return """
        {"node":{"id":"%s","cluster":"%s.shop","metadata":{"NAMESPACE":"shop",
           "CLUSTER_ID":"Kubernetes","INTERCEPTION_MODE":"NONE","ISTIO_VERSION":"1.29.0",
           "SERVICE_ACCOUNT":"%s","INSTANCE_IPS":"%s","LABELS":%s}},
         "admin":{"address":{"socket_address":{"address":"127.0.0.1","port_value":%d}}},
         "dynamic_resources":{"lds_config":%s,"cds_config":%s,
           "ads_config":{"api_type":"GRPC","transport_api_version":"V3",
             "grpc_services":[{"envoy_grpc":{"cluster_name":"xds-grpc"}}]}},
         "static_resources":{"clusters":[%s,%s]}}"""
        .formatted(
            pod.node(),
            pod.name(),
            pod.name(),
            pod.ip(),
            pod.labels(),
            admin,
            ads,
            ads,
            cluster("xds-grpc", istiod),
            cluster("sds-grpc", secrets.getPort()));
  }

  private static String cluster(String name, int port) {
    return """
        {"name":"%1$s","type":"STATIC","connect_timeout":"1s",
         "typed_extension_protocol_options":{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions":{
           "@type":"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
           "explicit_http_config":{"http2_protocol_options":{}}}},
         "load_assignment":{"cluster_name":"%1$s","endpoints":[{"lb_endpoints":[{"endpoint":{
           "address":{"socket_address":{"address":"127.0.0.1","port_value":%2$d}}}}]}]}}"""
        .formatted(name, port);
  }

  @Override
  public void close() {
    envoy.close();
    secrets.shutdownNow();
  }
}
