package io.outrigger.abuse;

import io.netty.handler.ssl.SslContext;
import io.outrigger.abuse.AttackedSidecar.Forward;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Callers that do with TLS what no honest one does. */
final class TlsAttacks {
  private static final int AT_ONCE = 64;

  /** Twice as many as may be in progress on an event loop. */
  private static final int STALLED = 512;

  /** Many times what a connection has to spare for records without data. */
  private static final int KEY_UPDATES = 10_000;

  private static final int RECORD_BYTES = 32 << 10;
  private static final int TIMEOUT_MILLIS = 10_000;

  private TlsAttacks() {}

  /** A complete record with a ClientHello. */
  private static byte[] hello() {
    SSLEngine engine = MeshTls.caller("TLSv1.3").createSSLEngine();
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    engine.setSSLParameters(parameters);
    var record = ByteBuffer.allocate(RECORD_BYTES);
    try {
      engine.wrap(ByteBuffer.allocate(0), record);
    } catch (SSLException e) {
      throw new AssertionError(e);
    }
    return Arrays.copyOf(record.array(), record.position());
  }

  /** The first half of a ClientHello, on ever new connections. */
  static void halfHandshakes(AttackRun run) {
    byte[] hello = hello();
    byte[] half = Arrays.copyOf(hello, hello.length / 2);
    while (run.goesOn()) {
      List<Peer> clients = run.peers().raw(run.address(Forward.SERVED), STALLED);
      run.eachSends(clients, i -> half);
      run.pause(Duration.ofMillis(200));
    }
  }

  /** A byte of a ClientHello each second. */
  static void slowHandshakes(AttackRun run) {
    run.lastsFor(Duration.ofSeconds(run.scaled(3, 15)));
    byte[] hello = hello();
    List<Peer> clients = run.peers().raw(run.address(Forward.SERVED), STALLED);
    for (int at = 0; at < hello.length && run.goesOn(); at++) {
      byte[] one = {hello[at]};
      run.eachSends(clients, i -> one);
      run.pause(Duration.ofSeconds(1));
    }
  }

  /** The sidecar computes keys and signs for callers that leave. */
  static void abandonedHandshakes(AttackRun run) {
    byte[] hello = hello();
    while (run.goesOn()) {
      List<Peer> clients = run.peers().raw(run.address(Forward.SERVED), AT_ONCE);
      run.eachSends(clients, i -> hello);
      run.pause(Duration.ofMillis(5));
      clients.forEach(Peer::abort);
    }
  }

  /** The same with callers that the mesh knows. */
  static void endedHandshakes(AttackRun run) {
    shake(run, List.of(MeshTls.caller()));
  }

  static void distrustedCertificates(AttackRun run) {
    shake(run, MeshTls.distrusted());
  }

  static void hugeChains(AttackRun run) {
    shake(run, MeshTls.hugeChains());
  }

  private static void shake(AttackRun run, List<SslContext> contexts) {
    for (int i = 0; run.goesOn(); i++) {
      SslContext context = contexts.get(i % contexts.size());
      run.peers().shaking(run.address(Forward.SERVED), AT_ONCE, context).forEach(Peer::close);
    }
  }

  private static SSLSocket connect(AttackRun run, String version) throws IOException {
    var address = run.address(Forward.SERVED);
    var socket =
        (SSLSocket)
            MeshTls.caller(version)
                .getSocketFactory()
                .createSocket(address.getAddress(), address.getPort());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {version});
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  static void renegotiations(AttackRun run) {
    while (run.goesOn()) {
      try (SSLSocket socket = connect(run, "TLSv1.2")) {
        socket.startHandshake(); // sends a ClientHello and does not wait for the answer
        while (socket.getInputStream().read() >= 0) {
          // SETTINGS, and what else there is before the end
        }
      } catch (SocketTimeoutException open) {
        run.complain("a renegotiation leaves the connection open");
        return;
      } catch (IOException refused) {
        // as it should be
      }
    }
  }

  static void keyUpdates(AttackRun run) {
    while (run.goesOn()) {
      try (SSLSocket socket = connect(run, "TLSv1.3")) {
        for (int i = 0; i < KEY_UPDATES; i++) {
          socket.startHandshake(); // sends a KeyUpdate
        }
        run.complain(KEY_UPDATES + " KeyUpdates passed on one connection");
        return;
      } catch (IOException ended) {
        // as it should be
      }
    }
  }
}
