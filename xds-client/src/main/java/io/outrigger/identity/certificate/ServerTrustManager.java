package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A judgement of servers in the form that TLS libraries take: one for a TLS context, whatever
 * server names its connections send. A refusal is a {@link RefusedCertificate}. Checks no host
 * name, whatever identification algorithm an engine asks for (A29).
 */
@AnyThread
public class ServerTrustManager extends X509ExtendedTrustManager {
  private static final X509Certificate[] NONE = {};

  /** Such as {@link ServerVerifier#objection}. */
  @FunctionalInterface
  public interface Judge {
    /** Why a server is refused; empty when it is accepted. */
    Optional<CertificateRefusal> objection(
        List<X509Certificate> chain, Optional<String> serverName);
  }

  private final Judge judge;

  public ServerTrustManager(Judge judge) {
    this.judge = judge;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    check(chain, serverName(engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    check(
        chain,
        socket instanceof SSLSocket secure
            ? ServerName.among(secure.getSSLParameters().getServerNames())
            : Optional.empty());
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(chain, Optional.empty());
  }

  /** What {@code engine} has asked its server for. */
  protected Optional<String> serverName(SSLEngine engine) {
    return ServerName.among(engine.getSSLParameters().getServerNames());
  }

  private void check(X509Certificate[] chain, Optional<String> serverName)
      throws RefusedCertificate {
    Optional<CertificateRefusal> objection = judge.objection(List.of(chain), serverName);
    if (objection.isPresent()) {
      throw new RefusedCertificate(objection.get());
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("no clients are expected");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("no clients are expected");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("no clients are expected");
  }

  /** None: a server's list of authorities is for clients. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return NONE.clone();
  }
}
