<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\Finding as Found;

/**
 * What a check says of one thing it looked at.
 */
final readonly class Finding
{
    /**
     * @param string $message what was seen, in one sentence with its numbers
     * @param list<Evidence> $evidence also of what is well: the inputs are shown
     * @param string $consequence what it does to requests
     * @param string $subject which of several, such as a pool; '' where there is but one
     * @param ?class-string $oneOf the fact of which the subject is a part that was read
     */
    private function __construct(
        public Status $status,
        public string $message,
        public array $evidence = [],
        public string $consequence = '',
        public ?Fix $fix = null,
        public string $subject = '',
        public Confidence $confidence = Confidence::Configured,
        private ?string $oneOf = null,
    ) {}

    public static function pass(string $message, Evidence ...$evidence): self
    {
        return new self(Status::Pass, $message, array_values($evidence));
    }

    /** @param list<Evidence> $evidence */
    public static function warn(string $message, array $evidence, string $consequence, Fix $fix): self
    {
        return new self(Status::Warn, $message, $evidence, $consequence, $fix);
    }

    /** @param list<Evidence> $evidence */
    public static function fail(string $message, array $evidence, string $consequence, Fix $fix): self
    {
        return new self(Status::Fail, $message, $evidence, $consequence, $fix);
    }

    /** @param string $verify the command that shows that the fix worked */
    public static function of(Found $found, Evidence $evidence, string $consequence, string $verify): self
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

    /** @param string $command what would tell */
    public static function unknown(string $reason, string $command): self
    {
        return new self(
            Status::Unknown,
            $reason,
            fix: $command === '' ? null : new Fix('This would tell:', commands: [$command]),
        );
    }

    /**
     * @param string $command what would tell where only somebody's measuring does; '' where there is nothing to tell
     */
    public static function skipped(string $reason, string $command = ''): self
    {
        return new self(
            Status::Skipped,
            $reason,
            fix: $command === '' ? null : new Fix('This would tell:', commands: [$command]),
        );
    }

    /** @internal */
    public static function crashed(string $how): self
    {
        return new self(Status::Crashed, $how);
    }

    public function about(string $subject): self
    {
        return new self(
            $this->status,
            $this->message,
            $this->evidence,
            $this->consequence,
            $this->fix,
            $subject,
            $this->confidence,
            $this->oneOf,
        );
    }

    public function restingOn(Confidence $confidence): self
    {
        return new self(
            $this->status,
            $this->message,
            $this->evidence,
            $this->consequence,
            $this->fix,
            $this->subject,
            $confidence,
            $this->oneOf,
        );
    }

    /**
     * It is about one part of that fact and holds whether or not the other parts could be read.
     *
     * @internal
     *
     * @param class-string $fact
     */
    public function oneOf(string $fact): self
    {
        return new self(
            $this->status,
            $this->message,
            $this->evidence,
            $this->consequence,
            $this->fix,
            $this->subject,
            $this->confidence,
            $fact,
        );
    }

    /**
     * @internal
     *
     * @param class-string $fact
     */
    public function isOneOf(string $fact): bool
    {
        return $this->oneOf === $fact;
    }

    /**
     * What was configured was seen to hurt.
     *
     * @internal
     */
    public function seenUnderLoad(string $how): self
    {
        return new self(
            $this->status,
            $this->message,
            [...$this->evidence, new Evidence('under load', $how, 'headroom doctor --url')],
            $this->consequence,
            $this->fix,
            $this->subject,
            Confidence::UnderLoad,
        );
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
}
