//! Checks one transcript against one profile after the other.

use std::path::Path;
use std::sync::Arc;

use super::judged::context;
use super::{CheckOptions, Profile, TargetChoice, TargetFrom};
use crate::bytes::source::Entries;
use crate::format::{Detection, FormatContext, blamed};
use crate::requests::{self, Prepared};
use crate::rules::{self, Finding, RuleContext};
use crate::transcript::{
    Code, Diagnostic, Effect, Instance, Request, Subject, Transcript, placement,
};

/// A transcript, with what all profiles share.
pub(super) struct Checker<'a> {
    entries: &'a dyn Entries,
    name: &'a str,
    detection: &'a Detection,
    transcript: &'a Transcript,
    options: &'a CheckOptions,
    /// The provider, and where that choice comes from.
    target: (TargetChoice, TargetFrom),
    project: fn(&FormatContext<'_>) -> Request,
    prepared: Prepared,
    /// What the provider's error text blames, once it was looked up.
    blamed: Option<Option<Diagnostic>>,
    /// A profile for which nothing was found, with its outcome.
    clean: Option<(Profile, ProfileOutcome)>,
}

/// What one profile finds.
#[derive(Clone)]
pub(super) struct ProfileOutcome {
    pub request: Arc<Request>,
    pub findings: Vec<Finding>,
    /// The findings that the selection hides.
    pub hidden: Vec<Finding>,
    /// Whether a diagnostic was reported.
    is_reported: bool,
    /// The session ID that the host gave the transcript.
    pub session: Option<String>,
}

impl ProfileOutcome {
    fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.hidden.is_empty() && !self.is_reported
    }
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        (entries, name): (&'a dyn Entries, &'a str),
        (detection, transcript): (&'a Detection, &'a Transcript),
        options: &'a CheckOptions,
        target: (TargetChoice, TargetFrom),
        project: fn(&FormatContext<'_>) -> Request,
    ) -> Checker<'a> {
        Checker {
            entries,
            name,
            detection,
            transcript,
            options,
            target,
            project,
            prepared: Prepared::default(),
            blamed: None,
            clean: None,
        }
    }

    /// What this profile finds. The kind of client decides how severe damage is, not whether there is any: a conversation
    /// without any for one kind has none for the others.
    pub(super) fn check(&mut self, profile: Profile) -> ProfileOutcome {
        if let Some((_, outcome)) =
            self.clean.as_ref().filter(|(clean, _)| std::ptr::eq(clean.target, profile.target))
        {
            let outcome = outcome.clone();
            debug_assert!(self.check_anew(profile).is_clean(), "depends on the client");
            return outcome;
        }
        let outcome = self.check_anew(profile);
        if outcome.is_clean() && self.detection.format.traits.clients.len() > 1 {
            self.clean = Some((profile, outcome.clone()));
        }
        outcome
    }

    /// Builds the request of this profile, and checks it.
    fn check_anew(&mut self, profile: Profile) -> ProfileOutcome {
        let context = FormatContext {
            prepared: self.prepared.clone(),
            ..context(
                self.detection,
                self.transcript,
                (self.target.0, self.target.1 == TargetFrom::ASKED),
                profile,
                self.entries,
                self.name,
                (self.options.live, self.options.ended_before),
            )
        };
        let mut request = self.request(&context);
        let rule_context = RuleContext {
            transcript: self.transcript,
            request: &request,
            format: self.detection.format,
            host: self.detection.format.host_of(Path::new(self.name), self.transcript),
            target: profile.target,
            client: profile.client,
            layout: &self.detection.layout,
            strictest: matches!(self.target.0, TargetChoice::Strictest),
            // It did reject what an error text blames.
            is_certain: self.target.1.is_certain || self.options.blame.is_some(),
            live: self.options.live,
            prefer: &self.options.prefer,
            strategy: self.options.strategy,
        };
        let mut findings = rules::check(&rule_context);
        let is_hidden = |finding: &mut Finding| !self.options.selection.admits_finding(finding);
        let hidden = findings.extract_if(.., is_hidden).collect();
        findings.shrink_to_fit();
        // They are findings now, and there may be very many.
        let diagnostics = std::mem::take(&mut request.diagnostics);
        ProfileOutcome {
            is_reported: !diagnostics.is_empty(),
            session: (self.detection.format.traits.session)(&context),
            request: Arc::new(request),
            findings,
            hidden,
        }
    }

    /// The request of a profile, with everything that is wrong with it.
    fn request(&mut self, context: &FormatContext<'_>) -> Request {
        let mut request = (self.project)(context);
        request.misplaced = placement::misplaced(
            self.transcript,
            &request,
            context.target.results_anywhere && !request.results_next,
        );
        let needs = requests::check(context, &request, &self.detection.format.wire);
        request.diagnostics.extend(needs);
        request.add_last_resort();
        let blamed = self.blamed(context, &request).clone();
        request.diagnostics.extend(blamed);
        request.diagnostics.extend(self.left_out());
        request
    }

    /// That the host does not offer a transcript in which somebody spoke.
    fn left_out(&self) -> Option<Diagnostic> {
        let why = self.options.left_out.filter(|_| !super::is_empty(self.transcript))?;
        let first = self.transcript.records().next()?;
        let mut note = Diagnostic::new(Code::StaleSideFile, why, first);
        note.about = vec![Subject::State];
        note.instance = Some(Instance::Harmless);
        note.effect = Effect::Elsewhere;
        Some(note)
    }

    /// What the provider's error text blames. The number in that text is looked up in the first request.
    fn blamed(&mut self, context: &FormatContext<'_>, request: &Request) -> &Option<Diagnostic> {
        let (format, blame) = (self.detection.format, self.options.blame.as_ref());
        self.blamed.get_or_insert_with(|| blamed::diagnostic(context, request, format, blame?))
    }
}
