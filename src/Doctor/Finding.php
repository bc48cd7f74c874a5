<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Closure;
use Headroom\Core\Finding as CoreFinding;

/**
 * The result of a check for one thing that it examined.
 */
final readonly class Finding
{
    private const ANSWERED_BY = 'This command answers it:';

    /**
     * @param string $message what was seen, in one sentence with its numbers
     * @param list<Evidence> $evidence of a pass too: the inputs are shown
     * @param string $consequence what it does to requests
     * @param string $subject which of several, such as a pool; '' if there is only one
     * @param ?class-string $partOf the fact of which the subject is a part that was read
     */
    private function __construct(
        public Status $status,
        public string $message,
        public array $evidence = [],
        public string $consequence = '',
        public ?Fix $fix = null,
        public string $subject = '',
        public Confidence $confidence = Confidence::Configured,
        private ?string $partOf = null,
    ) {}

    /** @param ?Evidence ...$evidence null is left out */
    public static function pass(string $message, ?Evidence ...$evidence): self
    {
        return new self(Status::Pass, $message, self::seen($evidence));
    }

    /**
     * @param array<?Evidence> $evidence null is left out
     * @param ?Fix $fix null: the advice of the text of the check
     * @param string $consequence '': as the text of the check says
     */
    public static function warn(string $message, array $evidence, ?Fix $fix = null, string $consequence = ''): self
    {
        return new self(Status::Warn, $message, self::seen($evidence), $consequence, $fix);
    }

    /**
     * @param array<?Evidence> $evidence null is left out
     * @param ?Fix $fix null: the advice of the text of the check
     * @param string $consequence '': as the text of the check says
     */
    public static function fail(string $message, array $evidence, ?Fix $fix = null, string $consequence = ''): self
    {
        return new self(Status::Fail, $message, self::seen($evidence), $consequence, $fix);
    }

    /** @param string $verify the command that shows that the fix worked */
    public static function of(CoreFinding $found, Evidence $evidence, string $consequence, string $verify): self
    {
        return new self(
            $found->fatal ? Status::Fail : Status::Warn,
            $found->message,
            [$evidence],
            $consequence,
            new Fix($found->fix, verify: $verify),
            $found->subject,
            Confidence::Observed,
        );
    }

    /** @param string $command that would answer it */
    public static function unknown(string $reason, string $command): self
    {
        return new self(Status::Unknown, $reason, fix: self::answeredBy($command));
    }

    public static function unavailable(FactUnavailable $reason): self
    {
        return self::unknown($reason->getMessage(), $reason->command);
    }

    /**
     * For one of several things: a fact about it that cannot be read leaves the other findings alone.
     *
     * @template T of ?self
     *
     * @param Closure(): T $examine
     * @return T|self
     */
    public static function from(Closure $examine): ?self
    {
        try {
            return $examine();
        } catch (FactUnavailable $e) {
            return self::unavailable($e);
        }
    }

    /** @param string $command that would answer it, if only a measurement can; '' if there is no question */
    public static function skipped(string $reason, string $command = ''): self
    {
        return new self(Status::Skipped, $reason, fix: self::answeredBy($command));
    }

    /** @internal */
    public static function crashed(string $how): self
    {
        return new self(Status::Crashed, $how);
    }

    public function about(string $subject): self
    {
        return $this->copy(subject: $subject);
    }

    public function withConfidence(Confidence $confidence): self
    {
        return $this->copy(confidence: $confidence);
    }

    /** A counter or a state of the running system shows it. */
    public function observed(): self
    {
        return $this->withConfidence(Confidence::Observed);
    }

    /**
     * It is about one part of that fact and holds even if the other parts could not be read.
     *
     * @internal
     *
     * @param class-string $fact
     */
    public function aboutPartOf(string $fact): self
    {
        return $this->copy(partOf: $fact);
    }

    /**
     * @internal
     *
     * @param class-string $fact
     */
    public function isAboutPartOf(string $fact): bool
    {
        return $this->partOf === $fact;
    }

    /**
     * With the words of the text of its check where it has none of its own, and with its commands as a user types
     * them. The values of the evidence are data and stay.
     *
     * @internal
     *
     * @param string $verify the command that shows that the fix worked
     * @param Closure(string): string $render
     */
    public function withUserCommands(CheckText $text, string $verify, Closure $render): self
    {
        $isProblem = $this->status->isProblem();
        $fix = $this->fix ?? ($isProblem && $text->advice() !== '' ? new Fix : null);

        return new self(
            $this->status,
            $render($this->message),
            array_map(
                static fn (Evidence $evidence): Evidence => $evidence->withUserCommands($render),
                $this->evidence,
            ),
            $render($isProblem && $this->consequence === '' ? $text->consequence() : $this->consequence),
            $fix?->withUserCommands($verify, $render, $text->advice()),
            $this->subject,
            $this->confidence,
            $this->partOf,
        );
    }

    /**
     * The configured value was seen to do harm.
     *
     * @internal
     *
     * @param string $command that has put load on the stack or watched it
     */
    public function seenUnderLoad(string $how, string $command): self
    {
        $evidence = [...$this->evidence, new Evidence('under load', $how, $command)];

        return $this->copy(confidence: Confidence::UnderLoad, evidence: $evidence);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'status' => $this->status->value,
            'subject' => $this->subject,
            'message' => $this->message,
            'evidence' => array_map(static fn (Evidence $evidence): array => $evidence->toArray(), $this->evidence),
            'confidence' => $this->confidence->value,
            'consequence' => $this->consequence,
            'fix' => $this->fix?->toArray(),
        ];
    }

    /**
     * @param array<?Evidence> $evidence
     * @return list<Evidence>
     */
    private static function seen(array $evidence): array
    {
        return array_values(array_filter($evidence, static fn (?Evidence $one): bool => $one !== null));
    }

    private static function answeredBy(string $command): ?Fix
    {
        return $command === '' ? null : new Fix(self::ANSWERED_BY, commands: [$command]);
    }

    /**
     * @param ?list<Evidence> $evidence
     * @param ?class-string $partOf
     */
    private function copy(
        ?string $subject = null,
        ?Confidence $confidence = null,
        ?string $partOf = null,
        ?array $evidence = null,
    ): self {
        return new self(
            $this->status,
            $this->message,
            $evidence ?? $this->evidence,
            $this->consequence,
            $this->fix,
            $subject ?? $this->subject,
            $confidence ?? $this->confidence,
            $partOf ?? $this->partOf,
        );
    }
}
