package io.outrigger.abuse;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Certificates of the mesh and of those who do not belong to it. */
final class MeshTls {
  private static final TestAuthority MESH = TestAuthority.named("mesh root");
  private static final TestIdentity CALLER = MESH.issue("uri:spiffe://mesh/caller");
  private static final int BIG_CHAIN = 100;

  /** Their names take some 40 KiB, which is less than a handshake may have. */
  private static final int BIG_NAMES = 1_000;

  private MeshTls() {}

  /** Writes {@code bootstrap.json} of the sidecar, and the files of the certificates it names. */
  static void write(Path folder) throws IOException {
    TestIdentity served = MESH.issue("uri:spiffe://mesh/served", "dns:serving");
    Files.writeString(
        folder.resolve("bootstrap.json"),
        """
        {"xds_servers": [{"server_uri": "127.0.0.1:1", "channel_creds": [{"type": "insecure"}]}],
         "node": {"id": "abuse"},
         "certificate_providers": {"default": {"plugin_name": "file_watcher", "config": {
           "certificate_file": "%1$s/chain.pem", "private_key_file": "%1$s/key.pem",
           "ca_certificate_file": "%1$s/roots.pem"}}}}
        """
            .formatted(folder.toAbsolutePath()));
    Files.writeString(folder.resolve("key.pem"), served.keyPem());
    Files.writeString(folder.resolve("chain.pem"), served.chainPem());
    Files.writeString(folder.resolve("roots.pem"), MESH.rootPem());
  }

  /** Returns the TLS context of a caller that the policies admit. */
  static SslContext caller() {
    return context(CALLER);
  }

  /** Returns TLS contexts with certificates that the served port does not trust. */
  static List<SslContext> distrusted() {
    return List.of(
        context(TestAuthority.named("other root").issue("uri:spiffe://mesh/caller")),
        context(MESH.issueExpired("uri:spiffe://mesh/caller")));
  }

  /** Chains that are large in one way or the other. */
  static List<SslContext> hugeChains() {
    TestAuthority issuer = MESH;
    for (int i = 0; i < BIG_CHAIN; i++) {
      issuer = issuer.intermediate("intermediate " + i);
    }
    String[] names =
        IntStream.range(0, BIG_NAMES)
            .mapToObj(i -> "uri:spiffe://mesh/a-workload-with-a-name/" + i)
            .toArray(String[]::new);
    return List.of(
        contextOfTheJdk(issuer.issue("uri:spiffe://mesh/caller")),
        contextOfTheJdk(MESH.issue(names)));
  }

  /** By the JDK, whose clients send any chain. */
  private static SslContext contextOfTheJdk(TestIdentity identity) {
    return build(
        GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
            .keyManager(identity.key(), identity.chain()));
  }

  private static SslContext context(TestIdentity identity) {
    return build(
        GrpcSslContexts.configure(SslContextBuilder.forClient())
            .keyManager(identity.key(), identity.chain()));
  }

  private static SslContext build(SslContextBuilder builder) {
    try {
      return builder.trustManager(MESH.root()).endpointIdentificationAlgorithm(null).build();
    } catch (SSLException e) {
      throw new AssertionError(e);
    }
  }

  /** The caller's for a socket of the JDK, with one version of TLS. */
  static SSLContext caller(String version) {
    SslContext context =
        build(
            GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                .protocols(version)
                .keyManager(CALLER.key(), CALLER.chain()));
    return ((JdkSslContext) context).context();
  }
}
