package io.outrigger.identity.tls;

import io.netty.handler.ssl.OpenSsl;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The TLS libraries, and the choice between them (decision proxy-0043). */
public enum TlsLibrary {
  /** BoringSSL, the default if it can be loaded and can sign with the identity's key. */
  BORINGSSL,
  JDK;

  /** The system property that selects the library; {@code jdk} selects the JDK's library. */
  public static final String PROPERTY = "outrigger.tls.library";

  /** Loads BoringSSL, and logs a failure, when a connection first needs TLS. */
  private static final class BoringSsl {
    static final boolean IS_LOADED = OpenSsl.isAvailable();

    static {
      if (!IS_LOADED) {
        LoggerFactory.getLogger(TlsLibrary.class)
            .warn(
                "BoringSSL cannot be loaded, so TLS is the JDK's: {}",
                String.valueOf(OpenSsl.unavailabilityCause()));
      }
    }
  }

  /** Returns the library for connections with this identity. The first call loads BoringSSL. */
  public static TlsLibrary of(TlsMaterial material) {
    boolean canSign =
        material
            .identity()
            .map(identity -> BoringSslEngines.canSign(identity.leaf().getPublicKey()))
            .orElse(true);
    boolean isJdkWanted = System.getProperty(PROPERTY, "").equalsIgnoreCase("jdk");
    return !isJdkWanted && canSign && BoringSsl.IS_LOADED ? BORINGSSL : JDK;
  }

  /** Makes a TLS context, which all engines of the returned object share. Takes milliseconds. */
  public TlsEngines engines(TlsMaterial material, List<String> alpn, PeerVerifier verifier)
      throws GeneralSecurityException {
    return this == BORINGSSL
        ? BoringSslEngines.of(material, alpn, verifier)
        : JdkEngines.of(material, alpn, verifier);
  }
}
