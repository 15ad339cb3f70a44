//! From bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, ISO_8859_2, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252,
};
use url::Url;

use super::xml::declared_encoding;

/// Text and what had to be put up with to get it.
pub struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub defect: Option<String>,
}

/// By, in this order: byte order mark, valid UTF-8, the charset of the HTTP header, the XML
/// declaration, detection. What the bytes prove beats what a header claims.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, url: &Url) -> Decoded<'a> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return with(encoding, &bytes[mark..], None);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return with(encoding, bytes, None);
    }
    let claimed = content_type.and_then(charset);
    let declared = declaration(bytes);
    match std::str::from_utf8(bytes) {
        // The only other encoding whose text looks like ASCII.
        Ok(_) if bytes.contains(&0x1b) && (claimed, declared) != (None, None) => {
            let japanese = [claimed, declared].contains(&Some(ISO_2022_JP));
            with(if japanese { ISO_2022_JP } else { UTF_8 }, bytes, None)
        }
        Ok(text) => Decoded { text: Cow::Borrowed(text), defect: None },
        Err(_) if is_nearly_utf8(bytes) => with(UTF_8, bytes, None),
        Err(_) => {
            let named = [claimed, declared].into_iter().flatten().find(|name| *name != UTF_8);
            // Servers add ISO-8859-1 without having looked: the document knows better.
            let named = match (named, declared) {
                (Some(header), Some(own)) if header == WINDOWS_1252 && own != UTF_8 => Some(own),
                (named, _) => named,
            };
            match named {
                Some(encoding) => with(without_controls(encoding, bytes), bytes, None),
                None => {
                    let encoding = detect(bytes, url);
                    let defect = format!("no encoding is named; it is read as {}", encoding.name());
                    with(encoding, bytes, Some(defect))
                }
            }
        }
    }
}

fn with<'a>(encoding: &'static Encoding, bytes: &'a [u8], defect: Option<String>) -> Decoded<'a> {
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    let broken = broken.then(|| format!("some bytes are no {}", encoding.name()));
    Decoded { text, defect: defect.or(broken) }
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, label) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// The declaration is ASCII in every encoding that can come here.
fn declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    const WITHIN: usize = 1_024;
    let start: String = bytes.iter().take(WITHIN).map(|byte| char::from(*byte)).collect();
    Encoding::for_label(declared_encoding(&start)?.as_bytes())
}

fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, b'?' | b'r' | b'f' | b'!', 0, ..] | [b'{', 0, _, 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?' | b'r' | b'f' | b'!', ..] | [0, b'{', 0, _, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// A few bad bytes among many good sequences: no other encoding makes those by chance.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 4 * bad
}

/// ISO-8859-2 has only controls where windows-1250 has quotation marks and letters such as š and ž.
fn without_controls(encoding: &'static Encoding, bytes: &[u8]) -> &'static Encoding {
    let has_controls = bytes.iter().any(|byte| matches!(byte, 0x80..=0x9f));
    if encoding == ISO_8859_2 && has_controls { WINDOWS_1250 } else { encoding }
}

fn detect(bytes: &[u8], url: &Url) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let tld =
        url.domain().and_then(|domain| domain.rsplit('.').next()).filter(|tld| !tld.is_empty());
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], content_type: Option<&str>) -> String {
        let url = Url::parse("https://news.cz/feed").unwrap();
        decode(bytes, content_type, &url).text.into_owned()
    }

    #[test]
    fn what_the_bytes_prove_beats_what_is_claimed() {
        let declared = |label: &str, body: &[u8]| -> Vec<u8> {
            let head = format!("<?xml version=\"1.0\" encoding=\"{label}\"?>");
            [head.as_bytes(), body].concat()
        };
        let end = |bytes: &[u8], content_type| {
            let text = read(bytes, content_type);
            text.rsplit('>').next().unwrap().to_owned()
        };
        let utf8 = "Škoda žádá".as_bytes();
        let (windows, latin2) = (b"\x8akoda \x9e\xe1d\xe1", b"\xa9koda \xbe\xe1d\xe1");
        assert_eq!(end(&declared("windows-1250", utf8), None), "Škoda žádá");
        assert_eq!(end(&declared("windows-1250", windows), None), "Škoda žádá");
        assert_eq!(end(&declared("iso-8859-2", latin2), None), "Škoda žádá");
        assert_eq!(end(&declared("iso-8859-2", windows), None), "Škoda žádá");
        assert_eq!(
            end(&declared("windows-1250", windows), Some("text/xml; charset=utf-8")),
            "Škoda žádá"
        );
        assert_eq!(
            end(&declared("windows-1250", windows), Some("text/xml; charset=iso-8859-1")),
            "Škoda žádá"
        );
        assert_eq!(end(latin2, Some("text/xml; Charset=\"ISO-8859-2\"")), "Škoda žádá");
        assert_eq!(end(&[b"\xef\xbb\xbf", utf8].concat(), None), "Škoda žádá");
        assert_eq!(end(&[utf8, b"\xff"].concat(), None), "Škoda žádá\u{fffd}");
    }

    #[test]
    fn without_any_word_the_bytes_are_detected() {
        let text = "Příliš žluťoučký kůň úpěl ďábelské ódy, řekla mluvčí úřadu.";
        let (bytes, _, _) = WINDOWS_1250.encode(text);
        let url = Url::parse("https://news.cz/feed").unwrap();
        let decoded = decode(&bytes, None, &url);
        assert_eq!(decoded.text, text);
        assert_eq!(
            decoded.defect.as_deref(),
            Some("no encoding is named; it is read as windows-1250")
        );
    }

    #[test]
    fn utf16_is_read_with_and_without_its_mark() {
        let text = "<?xml version=\"1.0\"?><a>ž</a>";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&bytes, None), text);
        assert_eq!(read(&[b"\xff\xfe", &bytes[..]].concat(), None), text);
    }
}
