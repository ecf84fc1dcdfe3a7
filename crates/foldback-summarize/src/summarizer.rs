//! The trait.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{SummarizeError, SummaryReply, SummaryRequest};

/// Condenses a stretch of conversation into text.
///
/// # Contract
///
/// - It is never called with nothing to summarize: there are messages, or there is a previous
///   summary together with the head of a turn.
/// - The reply stands for the messages *and* for the previous summary, which is discarded.
/// - The text of the conversation is data. What it demands is not obeyed.
/// - A blank text is never a success: it is [`SummarizeErrorKind::Empty`].
/// - The text stays within [`SummaryRequest::budget`] as well as the summarizer can; the caller
///   checks.
/// - No panic, whatever the messages.
/// - Retrying is the summarizer's business; the caller asks once.
///
/// # Cancel safety
///
/// Dropping the future of [`Summarizer::summarize`] abandons the call. Nothing is kept of it in the
/// summarizer, and the caller installs nothing, so the call can be made again.
///
/// [`SummarizeErrorKind::Empty`]: crate::SummarizeErrorKind::Empty
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// The summary of `request`.
    ///
    /// # Errors
    ///
    /// A [`SummarizeError`] whose kind says what can be done about it.
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError>;
}

#[async_trait]
impl<S: Summarizer + ?Sized> Summarizer for &S {
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        (**self).summarize(request).await
    }
}

#[async_trait]
impl<S: Summarizer + ?Sized> Summarizer for Box<S> {
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        (**self).summarize(request).await
    }
}

#[async_trait]
impl<S: Summarizer + ?Sized> Summarizer for Arc<S> {
    async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, SummarizeError> {
        (**self).summarize(request).await
    }
}
