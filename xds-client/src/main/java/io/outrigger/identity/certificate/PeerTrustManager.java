package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Lets TLS libraries verify servers or clients with a {@link Judge}. One trust manager serves all
 * connections of a TLS context, even if their server names differ. A refusal is thrown as a {@link
 * RefusedCertificate}. Host names are not checked, and the endpoint identification algorithm of an
 * engine has no effect here (A29).
 */
@AnyThread
public class PeerTrustManager extends X509ExtendedTrustManager {
  private static final X509Certificate[] NONE = {};

  /** Decides whether a peer is accepted. {@link PeerVerifier#objection} implements this. */
  @FunctionalInterface
  public interface Judge {
    /**
     * Returns why a peer is refused; empty when it is accepted.
     *
     * @param serverName the SNI that was sent to a server; empty if the peer is a client
     */
    Optional<CertificateRefusal> objection(
        List<X509Certificate> chain, Optional<String> serverName);
  }

  private final Judge judge;
  private final Function<SSLEngine, Optional<String>> serverName;

  /** Creates a trust manager that reads the server name from the SNI settings of the engine. */
  public PeerTrustManager(Judge judge) {
    this(judge, ServerName::of);
  }

  public PeerTrustManager(Judge judge, Function<SSLEngine, Optional<String>> serverName) {
    this.judge = judge;
    this.serverName = serverName;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, serverName.apply(engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(chain, Optional.empty()); // no connection of this process is an SSLSocket
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, Optional.empty());
  }

  protected void check(X509Certificate[] chain, Optional<String> serverName)
      throws CertificateException {
    Optional<CertificateRefusal> objection = judge.objection(List.of(chain), serverName);
    if (objection.isPresent()) {
      throw new RefusedCertificate(objection.get());
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(chain, Optional.empty());
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, Optional.empty());
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, Optional.empty());
  }

  /**
   * Replaces certificates by equal objects of the JDK. Netty creates certificate objects for each
   * connection, but the JDK keeps one object for equal bytes. The JDK therefore parses and verifies
   * a chain once, even if many connections present the chain.
   */
  public static X509Certificate[] shared(X509Certificate[] chain) throws CertificateException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] shared = new X509Certificate[chain.length];
    for (int i = 0; i < chain.length; i++) {
      shared[i] =
          (X509Certificate)
              factory.generateCertificate(new ByteArrayInputStream(chain[i].getEncoded()));
    }
    return shared;
  }

  /** Returns an empty array: clients are asked for a certificate of any authority. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return NONE.clone();
  }
}
