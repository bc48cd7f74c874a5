<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

/**
 * A sentence about a bucket, and one with the command or the change that fixes it.
 *
 * @internal
 */
final readonly class BucketProblem
{
    /** @param bool $isQuoted the message is that of an exception, whose first word may be a name */
    public function __construct(
        public ProblemSeverity $severity,
        public string $message,
        public ?string $fix = null,
        private bool $isQuoted = false,
    ) {}

    /** @return array{message: string, fix: ?string, severity: string} */
    public function toArray(): array
    {
        return ['message' => $this->message, 'fix' => $this->fix, 'severity' => $this->severity->value];
    }

    /** In a line that begins with the name of the bucket. */
    public function words(): string
    {
        return ($this->isQuoted ? $this->message : lcfirst($this->message))
            .($this->fix === null ? '' : " {$this->fix}");
    }
}
