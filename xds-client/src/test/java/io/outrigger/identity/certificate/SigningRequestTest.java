package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.IstioCaServer;
import java.io.StringReader;
import java.util.Optional;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.junit.jupiter.api.Test;

@Conformance("IST-05")
class SigningRequestTest {
  private static PKCS10CertificationRequest read(String pem) throws Exception {
    try (var parser = new PEMParser(new StringReader(pem))) {
      return (PKCS10CertificationRequest) parser.readObject();
    }
  }

  /**
   * The fields that istiod compares ({@code ValidateCSR}) before it passes a request to Kubernetes.
   */
  @Test
  void theNameIsTheOnlyExtensionAndTheSubjectIsEmpty() throws Exception {
    String id = "spiffe://cluster.local/ns/shop/sa/cart";
    SigningRequest request = SigningRequest.fresh();
    String pem = request.pem(Optional.of(id));

    PKCS10CertificationRequest read = read(pem);

    assertThat(IstioCaServer.publicKey(pem)).isEqualTo(request.pair().getPublic());
    assertThat(read.getSubject().getRDNs()).isEmpty();
    assertThat(read.getAttributes()).hasSize(1);
    assertThat(read.getRequestedExtensions().getExtensionOIDs())
        .containsExactly(Extension.subjectAlternativeName);
    assertThat(read.getRequestedExtensions().getExtension(Extension.subjectAlternativeName))
        .returns(true, Extension::isCritical)
        .extracting(names -> GeneralNames.getInstance(names.getParsedValue()))
        .isEqualTo(new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, id)));
  }

  @Test
  void withoutANameThereIsNoAttribute() throws Exception {
    assertThat(read(SigningRequest.fresh().pem(Optional.empty())).getAttributes()).isEmpty();
  }
}
