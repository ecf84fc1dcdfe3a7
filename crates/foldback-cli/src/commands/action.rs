//! What is to be done, or was done, with a conversation.

use std::fmt;
use std::process::ExitCode;

use serde::Serialize;

/// What a plan or a compaction comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Something is condensed.
    Compact,
    /// Nothing has to be done.
    None,
    /// A reduction was demanded and cannot be had.
    NoReduction,
    /// What cannot be condensed is too large by itself.
    NoProgress,
    /// No summary came.
    Failed,
}

impl Action {
    /// Whether what was asked for could not be had: no conversation is written then.
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Self::NoReduction | Self::NoProgress | Self::Failed)
    }

    /// 1 where what was asked for could not be had.
    pub(crate) fn exit_code(self) -> ExitCode {
        if self.is_failure() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same name as in JSON.
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_exit_codes() {
        let code = |failed| format!("{:?}", if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        for (action, name, failed) in [
            (Action::Compact, "compact", false),
            (Action::None, "none", false),
            (Action::NoReduction, "no_reduction", true),
            (Action::NoProgress, "no_progress", true),
            (Action::Failed, "failed", true),
        ] {
            assert_eq!(action.to_string(), name);
            assert_eq!(serde_json::to_string(&action).unwrap(), format!("\"{name}\""));
            assert_eq!(format!("{:?}", action.exit_code()), code(failed), "{name}");
        }
    }
}
