//! Pictures and documents, as far as the formats agree on them.

use foldback_model::{Media, MediaSource, Part};

/// The content of an address, which may be inline: `data:image/png;base64,…`.
pub(super) fn from_url(url: &str) -> Media {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match inline {
        Some((media_type, data)) => {
            Media::new(Some(media_type.to_owned()), MediaSource::Base64(data.to_owned()))
        }
        None => Media::new(None, MediaSource::Url(url.to_owned())),
    }
}

/// The address of `media`, inline content as a `data:` address; `None` for content without one.
pub(super) fn to_url(media: &Media, default_type: &str) -> Option<String> {
    match &media.source {
        MediaSource::Base64(data) => {
            let media_type = media.media_type.as_deref().unwrap_or(default_type);
            Some(format!("data:{media_type};base64,{data}"))
        }
        MediaSource::Url(url) => Some(url.clone()),
        _ => None,
    }
}

/// What stands for content that a format cannot carry.
pub(super) const IMAGE_MARK: &str = "[image]";
/// The same for a document.
pub(super) const DOCUMENT_MARK: &str = "[document]";

/// The mark of a picture or a document.
pub(super) fn mark_of(part: &Part) -> &'static str {
    if matches!(part, Part::Image(_)) { IMAGE_MARK } else { DOCUMENT_MARK }
}
